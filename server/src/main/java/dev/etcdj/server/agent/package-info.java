/// How work gets a thread. Read in this order: [Agent], [AgentRunner] (a thread of its own),
/// [Wakeup], [Relay] (one thread for a chain of agents while there is little to do).
@NullMarked
package dev.etcdj.server.agent;

import org.jspecify.annotations.NullMarked;
