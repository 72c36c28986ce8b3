@NullMarked
package dev.etcdj.raft.trace;

import org.jspecify.annotations.NullMarked;
