package dev.etcdj.wal;

/// @param segmentBytes size a segment is preallocated to; a save that passes it cuts
/// @param unsafeNoFsync never sync (a crash then loses acknowledged writes)
public record WalConfig(long segmentBytes, boolean unsafeNoFsync) {
  /// etcd's sizes, every promise kept.
  public static final WalConfig DEFAULT = new WalConfig(64_000_000, false);
}
