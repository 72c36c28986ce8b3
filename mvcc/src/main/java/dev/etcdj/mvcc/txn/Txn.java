package dev.etcdj.mvcc.txn;

import java.util.List;

/// A validated transaction: all of `compare` true → `success`, else `failure` (KV-81, KV-82).
public record Txn(List<Compare> compare, List<Op> success, List<Op> failure) {}
