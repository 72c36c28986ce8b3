package dev.etcdj.raft.log;

/// One log entry. `data` is opaque to raft, except that configuration changes are encoded by
/// the application. An empty NORMAL entry is a new leader's no-op.
public record Entry(long term, long index, EntryType type, Bytes data) {
  /// Size that counts against message and apply limits: that of the encoded raftpb.Entry, whose
  /// type, term and index are always written.
  public int size() {
    int length = data.length();
    int payload = length == 0 ? 0 : 1 + varintSize(length) + length;
    return 2 + 1 + varintSize(term) + 1 + varintSize(index) + payload;
  }

  private static int varintSize(long value) {
    return (70 - Long.numberOfLeadingZeros(value | 1)) / 7;
  }
}
