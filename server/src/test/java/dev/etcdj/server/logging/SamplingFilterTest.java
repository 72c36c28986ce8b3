package dev.etcdj.server.logging;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.spi.FilterReply;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/// In each second the first 100 lines of a kind pass, then every hundredth.
class SamplingFilterTest {
  private final SamplingFilter filter = new SamplingFilter();

  private int passed(String message, int times, long second) {
    int passed = 0;
    for (int i = 0; i < times; i++) {
      LoggingEvent event = new LoggingEvent();
      event.setLoggerContext(new LoggerContext());
      event.setLevel(Level.INFO);
      event.setMessage(message);
      event.setInstant(Instant.ofEpochSecond(second));
      passed += filter.decide(event) == FilterReply.NEUTRAL ? 1 : 0;
    }
    return passed;
  }

  @Test
  void linesOfAKindAreThinnedOut() {
    assertEquals(100, passed("a", 100, 1));
    assertEquals(3, passed("a", 300, 1));
    assertEquals(5, passed("b", 5, 1));
  }

  @Test
  void eachSecondBeginsAnew() {
    passed("a", 1000, 1);
    assertEquals(100, passed("a", 100, 2));
  }
}
