package dev.etcdj.wal.record;

import dev.etcdj.raft.log.Entry;
import dev.etcdj.raft.log.HardState;
import dev.etcdj.wal.WalMetadata;
import dev.etcdj.wal.WalSnapshot;

/// One record of the log as it is read.
public sealed interface WalRecord {
  /// Record types on disk (walpb.Record.type).
  int METADATA = 1;

  int ENTRY = 2;
  int STATE = 3;
  int CHECKSUM = 4;
  int SNAPSHOT = 5;

  /// Who wrote the log; stands at the head of every segment.
  record Metadata(WalMetadata metadata) implements WalRecord {}

  /// A raft entry; replaces entries with an index as high or higher that were read before.
  record Appended(Entry entry) implements WalRecord {}

  /// Term, vote and commit as of here; the last one counts.
  record State(HardState hardState) implements WalRecord {}

  /// The running checksum at the end of the previous segment; first in every segment.
  record Checksum(int crc) implements WalRecord {}

  /// A state that is durable elsewhere; counts once the logged commit has reached it.
  record Marked(WalSnapshot snapshot) implements WalRecord {}
}
