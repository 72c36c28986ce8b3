package dev.etcdj.raft;

import dev.etcdj.raft.log.Bytes;

/// A read request named by `context` may be served once applied ≥ `index`.
public record ReadState(long index, Bytes context) {}
