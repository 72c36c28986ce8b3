package dev.etcdj.mvcc.backend;

/// How the LMDB file is opened.
///
/// @param mapBytes most bytes the file can grow to, well above the quota, because deletions copy
///     pages too; only address space is taken
/// @param maxReaders most views open at a time
public record LmdbOptions(long mapBytes, int maxReaders) {
  /// 64 GiB, 4096 readers.
  public static final LmdbOptions DEFAULT = new LmdbOptions(64L << 30, 4096);
}
