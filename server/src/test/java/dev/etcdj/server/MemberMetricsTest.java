package dev.etcdj.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.etcdj.server.metrics.Metrics;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slf4j.event.KeyValuePair;

class MemberMetricsTest {
  private static Metrics metrics() {
    return new Metrics(
        new Metrics.About(1, Version.ETCD, Version.OWN, () -> "3.7", Map.of(), false), () -> 0);
  }

  /// A sync that took longer than a second is worth a line; a shorter one is counted only.
  @Test
  void aSlowFdatasyncIsLogged() {
    Logger logger = (Logger) LoggerFactory.getLogger(MemberMetrics.class);
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    logger.addAppender(lines);
    try (Metrics metrics = metrics()) {
      MemberMetrics member = new MemberMetrics(metrics);
      member.fsynced(1_000_000_000L);
      assertEquals(List.of(), lines.list);
      member.fsynced(1_234_000_000L);
    } finally {
      logger.detachAppender(lines);
    }
    assertEquals("slow fdatasync", lines.list.getFirst().getMessage());
    assertEquals(
        List.of(new KeyValuePair("took", "1234ms"), new KeyValuePair("expected-duration", "1s")),
        lines.list.getFirst().getKeyValuePairs());
  }
}
