/// Scripted interactions: text files in, what the nodes say out.
@NullMarked
package dev.etcdj.raft.script;

import org.jspecify.annotations.NullMarked;
