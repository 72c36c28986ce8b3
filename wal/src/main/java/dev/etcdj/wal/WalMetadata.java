package dev.etcdj.wal;

/// Who wrote the log (etcdserverpb.Metadata); equal in all segments.
public record WalMetadata(long nodeId, long clusterId) {}
