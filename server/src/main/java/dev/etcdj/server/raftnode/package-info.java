@NullMarked
package dev.etcdj.server.raftnode;

import org.jspecify.annotations.NullMarked;
