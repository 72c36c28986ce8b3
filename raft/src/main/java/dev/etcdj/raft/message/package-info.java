@NullMarked
package dev.etcdj.raft.message;

import org.jspecify.annotations.NullMarked;
