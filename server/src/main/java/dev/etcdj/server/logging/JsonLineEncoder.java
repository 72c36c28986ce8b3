package dev.etcdj.server.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.encoder.EncoderBase;
import com.google.gson.stream.JsonWriter;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Collection;
import org.slf4j.event.KeyValuePair;

/// One JSON object per line with keys in etcd's order: level, ts, logger, caller, msg, then the
/// line's own fields, then error and stacktrace.
public final class JsonLineEncoder extends EncoderBase<ILoggingEvent> {
  private static final DateTimeFormatter TIMESTAMP =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSSXX");

  private final ZoneId zone = ZoneId.systemDefault();

  @Override
  public byte[] headerBytes() {
    return new byte[0];
  }

  @Override
  public byte[] footerBytes() {
    return new byte[0];
  }

  @Override
  public byte[] encode(ILoggingEvent event) {
    StringWriter text = new StringWriter(256);
    try (JsonWriter json = new JsonWriter(text)) {
      json.beginObject();
      json.name("level").value(level(event));
      json.name("ts").value(TIMESTAMP.format(event.getInstant().atZone(zone)));
      if (!event.getLoggerName().startsWith("dev.etcdj")) {
        json.name("logger").value(event.getLoggerName());
      }
      json.name("caller").value(caller(event));
      json.name("msg").value(event.getFormattedMessage());
      fields(json, event);
      if (event.getThrowableProxy() != null) {
        json.name("error").value(event.getThrowableProxy().getMessage());
        json.name("stacktrace").value(ThrowableProxyUtil.asString(event.getThrowableProxy()));
      }
      json.endObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return text.append('\n').toString().getBytes(StandardCharsets.UTF_8);
  }

  private static void fields(JsonWriter json, ILoggingEvent event) throws IOException {
    if (event.getKeyValuePairs() == null) {
      return;
    }
    for (KeyValuePair pair : event.getKeyValuePairs()) {
      json.name(pair.key);
      write(json, pair.value);
    }
  }

  private static void write(JsonWriter json, Object value) throws IOException {
    switch (value) {
      case null -> json.nullValue();
      case Number number -> json.value(number);
      case Boolean bool -> json.value(bool);
      case Collection<?> list -> {
        json.beginArray();
        for (Object element : list) {
          write(json, element);
        }
        json.endArray();
      }
      default -> json.value(value.toString());
    }
  }

  /// Fatal is no level of the logging library; such lines carry a marker.
  private static String level(ILoggingEvent event) {
    if (event.getMarkerList() != null && event.getMarkerList().contains(Markers.FATAL)) {
      return "fatal";
    }
    return switch (event.getLevel().toInt()) {
      case Level.ERROR_INT -> "error";
      case Level.WARN_INT -> "warn";
      case Level.INFO_INT -> "info";
      default -> "debug";
    };
  }

  /// Last folder, file and line.
  private static String caller(ILoggingEvent event) {
    StackTraceElement[] frames = event.getCallerData();
    if (frames == null || frames.length == 0) {
      return "unknown/unknown:0";
    }
    StackTraceElement frame = frames[0];
    String[] parts = frame.getClassName().split("\\.");
    String folder = parts.length > 1 ? parts[parts.length - 2] : "";
    return folder + "/" + frame.getFileName() + ":" + frame.getLineNumber();
  }
}
