package dev.etcdj.server.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.BytesValue;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Guarantee: what is written is what gRPC over HTTP/2 calls a sequence of length-prefixed
/// messages, the first prefix being gRPC's own.
class PackedMessagesTest {
  private static WireMessage message(int number, int valueBytes) {
    return WireMessage.of(
        BytesValue.of(ByteString.copyFrom(new byte[valueBytes - 1]).concat(of(number))));
  }

  private static ByteString of(int number) {
    return ByteString.copyFrom(new byte[] {(byte) number});
  }

  @Test
  void eachMessageHasItsPrefix() throws IOException {
    PackedMessages packed = new PackedMessages(message(0, 48));
    assertTrue(packed.add(message(1, 58)));
    assertTrue(packed.add(message(2, 68)));
    List<Long> along = new ArrayList<>();
    packed.prepare((messages, bytes) -> along.addAll(List.of((long) messages, bytes)));
    assertEquals(List.of(2L, 130L), along);

    ByteArrayOutputStream written = new ByteArrayOutputStream();
    WireStream stream = new WireStream(packed);
    assertEquals(50, stream.available());
    assertEquals(50, stream.drainTo(written), "gRPC compares it with the prefix that it wrote");
    assertEquals(0, stream.available());
    byte[] bytes = written.toByteArray();
    assertEquals(packed.writtenSize(), bytes.length);
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
    assertEquals(of(0), number(in.readNBytes(50)));
    for (int number = 1; number <= 2; number++) {
      assertEquals(0, in.readByte(), "not compressed");
      assertEquals(of(number), number(in.readNBytes(in.readInt())));
    }
    assertEquals(0, in.available());
  }

  private static ByteString number(byte[] wire) throws IOException {
    ByteString value = BytesValue.parseFrom(wire).getValue();
    return value.substring(value.size() - 1);
  }

  @Test
  void noMoreIsTakenThanTheBound() {
    PackedMessages packed = new PackedMessages(message(0, 98));
    // A prefix before each of the two; a tag and two bytes of length before the second's value.
    int room = PackedMessages.MAX_BYTES - 5 - 100 - 5 - 3;
    assertFalse(packed.add(message(1, room + 1)));
    assertTrue(packed.add(message(1, room)));
    assertFalse(packed.add(message(2, 1)));
    PackedMessages longer = new PackedMessages(message(0, 5_000));
    assertFalse(longer.add(message(1, 1)));
    assertEquals(5_003, longer.writtenSize());
  }
}
