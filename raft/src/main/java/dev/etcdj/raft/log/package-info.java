@NullMarked
package dev.etcdj.raft.log;

import org.jspecify.annotations.NullMarked;
