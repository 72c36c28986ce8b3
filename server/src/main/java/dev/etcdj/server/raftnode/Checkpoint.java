package dev.etcdj.server.raftnode;

import dev.etcdj.raft.log.ConfState;

/// A point of the log up to which the store is durable, with the configuration in force there.
public record Checkpoint(long index, long term, ConfState confState) {}
