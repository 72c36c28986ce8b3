package dev.etcdj.server.logging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.event.KeyValuePair;

/// The shape of a log line: one JSON object, keys in etcd's order, every value of a kind that JSON
/// has.
class JsonLineEncoderTest {
  private static String encode(LoggingEvent event) {
    String line = new String(new JsonLineEncoder().encode(event), StandardCharsets.UTF_8);
    assertTrue(line.endsWith("\n"));
    assertEquals(1, line.lines().count());
    return line;
  }

  private static LoggingEvent event(String logger, KeyValuePair... fields) {
    LoggerContext context = new LoggerContext();
    Logger of = context.getLogger(logger);
    LoggingEvent event = new LoggingEvent("x", of, Level.WARN, "said \"this\"", null, null);
    event.setCallerData(
        new StackTraceElement[] {
          new StackTraceElement("dev.etcdj.server.raftnode.RaftLoop", "tick", "RaftLoop.java", 12)
        });
    event.setKeyValuePairs(List.of(fields));
    return event;
  }

  @Test
  void keysComeInEtcdsOrder() {
    String line =
        encode(
            event("dev.etcdj.server.X", new KeyValuePair("took", "1s"), new KeyValuePair("n", 3)));
    JsonObject json = JsonParser.parseString(line).getAsJsonObject();
    assertEquals(
        List.of("level", "ts", "caller", "msg", "took", "n"), new ArrayList<>(json.keySet()));
    assertEquals("warn", json.get("level").getAsString());
    assertEquals("raftnode/RaftLoop.java:12", json.get("caller").getAsString());
    assertEquals("said \"this\"", json.get("msg").getAsString());
    assertTrue(
        json.get("ts")
            .getAsString()
            .matches("\\d{4}-\\d\\d-\\d\\dT[\\d:]{8}\\.\\d{6}(Z|[+-]\\d{4})"));
  }

  @Test
  void loggersWithANameOfTheirOwnShowIt() {
    JsonObject json = JsonParser.parseString(encode(event("raft"))).getAsJsonObject();
    assertEquals("raft", json.get("logger").getAsString());
  }

  /// A path is an `Iterable` of paths, the last of which is itself.
  @Test
  void aPathIsText() {
    String line =
        encode(
            event(
                "dev.etcdj.server.X",
                new KeyValuePair("data-dir", Path.of("a/b")),
                new KeyValuePair("urls", List.of("u", "v"))));
    assertTrue(line.contains("\"data-dir\":\"a/b\",\"urls\":[\"u\",\"v\"]"), line);
  }
}
