package dev.etcdj.server.apply;

/// A place in the log up to which everything is applied.
public record AppliedPoint(long index, long term) {}
