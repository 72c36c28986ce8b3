package dev.etcdj.raft;

import dev.etcdj.raft.log.ConfState;
import dev.etcdj.raft.log.HardState;
import java.util.Map;

/// A picture of a node. `progress` is filled on the leader only.
public record Status(
    long id,
    HardState hardState,
    SoftState softState,
    long applied,
    long lastIndex,
    ConfState confState,
    Map<Long, ProgressView> progress) {

  /// How far one member is, as the leader knows.
  public record ProgressView(
      long match, long next, String state, boolean recentActive, boolean learner) {}
}
