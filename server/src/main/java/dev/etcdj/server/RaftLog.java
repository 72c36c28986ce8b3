package dev.etcdj.server;

import dev.etcdj.raft.trace.TraceSink;
import dev.etcdj.server.membership.MemberIds;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Raft's events as log lines, under the logger name that tools look for.
final class RaftLog implements TraceSink {
  private static final Logger LOG = LoggerFactory.getLogger("raft");

  private final String self;

  RaftLog(long self) {
    this.self = MemberIds.hex(self);
  }

  @Override
  public void event(long node, long term, String event) {
    LOG.info("{} {}", self, event);
  }
}
