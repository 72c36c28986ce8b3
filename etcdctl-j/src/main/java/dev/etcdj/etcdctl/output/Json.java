package dev.etcdj.etcdctl.output;

import com.google.gson.Strictness;
import com.google.gson.stream.JsonWriter;
import com.google.protobuf.ByteString;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.util.Base64;

/// Gson's writer with the two habits of Go's encoder that scripts see: fields without a value are
/// left out, and `<`, `>` and `&` inside texts are escaped.
final class Json {
  private final StringWriter text = new StringWriter();
  private final JsonWriter writer = new JsonWriter(text);

  Json() {
    writer.setHtmlSafe(false);
    writer.setStrictness(Strictness.LENIENT);
  }

  /// A step of the writer, whose exceptions cannot happen on a string.
  private interface Step {
    void run() throws IOException;
  }

  private Json write(Step step) {
    try {
      step.run();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return this;
  }

  Json begin() {
    return write(writer::beginObject);
  }

  Json end() {
    return write(writer::endObject);
  }

  Json beginArray() {
    return write(writer::beginArray);
  }

  Json endArray() {
    return write(writer::endArray);
  }

  Json name(String name) {
    return write(() -> writer.name(name));
  }

  Json value(String value) {
    return write(() -> writer.value(value));
  }

  Json value(long value) {
    return write(() -> writer.value(value));
  }

  Json value(boolean value) {
    return write(() -> writer.value(value));
  }

  Json unsignedValue(long value) {
    return write(() -> writer.value(new BigInteger(Long.toUnsignedString(value))));
  }

  Json bytesValue(ByteString value) {
    return value(Base64.getEncoder().encodeToString(value.toByteArray()));
  }

  Json nothing() {
    return write(writer::nullValue);
  }

  void number(String name, long value) {
    if (value != 0) {
      name(name).value(value);
    }
  }

  void unsigned(String name, long value) {
    if (value != 0) {
      name(name).unsignedValue(value);
    }
  }

  void flag(String name, boolean value) {
    if (value) {
      name(name).value(true);
    }
  }

  void string(String name, String value) {
    if (!value.isEmpty()) {
      name(name).value(value);
    }
  }

  void bytes(String name, ByteString value) {
    if (!value.isEmpty()) {
      name(name).bytesValue(value);
    }
  }

  /// Everything written. The three characters occur nowhere but in texts.
  String text() {
    return text.toString().replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e");
  }
}
