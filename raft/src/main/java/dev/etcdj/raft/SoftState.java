package dev.etcdj.raft;

/// Who leads (0: unknown) and what this node is; never stored.
public record SoftState(long leader, Role role) {}
