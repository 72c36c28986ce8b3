package dev.etcdj.raft;

import dev.etcdj.raft.log.Entry;

/// Turns configuration changes into entry data and back. Given by the application, because raft
/// knows no wire format. Encoding an empty V2 change (leave joint) must give empty data.
public interface ConfChangeCodec {
  /// Entry data of `change`, to be stored under `change.type()`.
  dev.etcdj.raft.log.Bytes encode(ConfChange change);

  /// The change in a CONF_CHANGE or CONF_CHANGE_V2 entry.
  ///
  /// @throws IllegalArgumentException when the data is none, or the type is [EntryType#NORMAL]
  ConfChange decode(Entry entry);
}
