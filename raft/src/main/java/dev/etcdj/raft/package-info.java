@NullMarked
package dev.etcdj.raft;

import org.jspecify.annotations.NullMarked;
