/// The consensus state machine: messages in, `Ready` out. No disk, socket, thread, clock or
/// randomness of its own.
module dev.etcdj.raft {
  requires static transitive org.jspecify;

  exports dev.etcdj.raft;
  exports dev.etcdj.raft.log;
  exports dev.etcdj.raft.message;
  exports dev.etcdj.raft.trace;
}
