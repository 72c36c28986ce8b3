package dev.etcdj.raft.log;

/// What an entry's data is. Wire numbers: RAFT-171.
public enum EntryType {
  NORMAL(0),
  CONF_CHANGE(1),
  CONF_CHANGE_V2(2);

  private final int number;

  EntryType(int number) {
    this.number = number;
  }

  /// Number on the wire and in the log.
  public int number() {
    return number;
  }
}
