package dev.etcdj.raft.log;

/// One log entry. `data` is opaque to raft, except that configuration changes are encoded by
/// the application. An empty NORMAL entry is a new leader's no-op.
public record Entry(long term, long index, EntryType type, Bytes data) {
  /// Size that counts against message and apply limits: the encoded raftpb.Entry, roughly.
  public int size() {
    return data.length() + 16;
  }
}
