package dev.etcdj.mvcc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.etcdj.proto.mvccpb.KeyValue;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// Guarantee: stored values are byte for byte what protobuf makes of the same message (KV-113),
/// and are read back the same. Source of the expectation: the generated `mvccpb.KeyValue`.
class WireKeyValueTest {

  @Test
  void equalsProtobuf() throws InvalidProtocolBufferException {
    Random random = new Random(7);
    for (int i = 0; i < 20_000; i++) {
      byte[] key = new byte[1 + random.nextInt(random.nextInt(50) == 0 ? 20_000 : 200)];
      random.nextBytes(key);
      byte[] value = new byte[random.nextInt(4) == 0 ? 0 : random.nextInt(300)];
      random.nextBytes(value);
      KeyValue expected =
          KeyValue.newBuilder()
              .setKey(ByteString.copyFrom(key))
              .setCreateRevision(number(random))
              .setModRevision(number(random))
              .setVersion(number(random))
              .setValue(ByteString.copyFrom(value))
              .setLease(number(random))
              .build();
      byte[] raw =
          WireKeyValue.encode(
              key,
              expected.getCreateRevision(),
              expected.getModRevision(),
              expected.getVersion(),
              expected.getValue(),
              expected.getLease());
      assertArrayEquals(expected.toByteArray(), raw);
      WireKeyValue parsed = WireKeyValue.parse(raw);
      assertEquals(expected.getKey(), parsed.key());
      assertEquals(expected.getValue(), parsed.value());
      assertEquals(expected.getCreateRevision(), parsed.createRevision());
      assertEquals(expected.getModRevision(), parsed.modRevision());
      assertEquals(expected.getVersion(), parsed.version());
      assertEquals(expected.getLease(), parsed.lease());
      assertArrayEquals(
          expected.toBuilder().clearValue().build().toByteArray(), parsed.withoutValue());
      assertArrayEquals(
          KeyValue.newBuilder().setKey(expected.getKey()).build().toByteArray(),
          WireKeyValue.encodeTombstone(key));
    }
  }

  @Test
  void refusesWhatIsNone() {
    byte[] raw =
        WireKeyValue.encode(
            "key".getBytes(StandardCharsets.US_ASCII),
            2,
            3,
            4,
            ByteString.copyFromUtf8("value"),
            5);
    for (int length = 1; length < raw.length; length++) {
      byte[] cut = Arrays.copyOf(raw, length);
      try {
        KeyValue.parseFrom(cut);
        WireKeyValue.parse(cut);
      } catch (InvalidProtocolBufferException e) {
        assertThrows(IllegalArgumentException.class, () -> WireKeyValue.parse(cut));
      }
    }
  }

  private static long number(Random random) {
    return random.nextInt(5) == 0 ? 0 : random.nextLong() >>> random.nextInt(64);
  }
}
