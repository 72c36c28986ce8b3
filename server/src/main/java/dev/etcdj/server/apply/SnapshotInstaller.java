package dev.etcdj.server.apply;

import dev.etcdj.raft.log.Snapshot;

/// Swaps the stores for a leader's snapshot (RAFT-155).
@FunctionalInterface
public interface SnapshotInstaller {
  /// Replaces what [Stores] holds by the contents stored under the snapshot's index. Apply loop
  /// only, between entries; readers may see the old stores until it returns.
  void install(Snapshot snapshot);
}
