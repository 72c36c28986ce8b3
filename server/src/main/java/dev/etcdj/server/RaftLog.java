package dev.etcdj.server;

import dev.etcdj.raft.trace.TraceSink;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Raft's events as log lines, under the logger name that tools look for.
final class RaftLog implements TraceSink {
  private static final Logger LOG = LoggerFactory.getLogger("raft");

  @Override
  public void event(long node, long term, String event) {
    LOG.info(event);
  }
}
