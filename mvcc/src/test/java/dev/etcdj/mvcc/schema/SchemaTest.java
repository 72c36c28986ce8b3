package dev.etcdj.mvcc.schema;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.etcdj.mvcc.Revision;
import dev.etcdj.mvcc.backend.BackendOptions;
import dev.etcdj.mvcc.backend.Bucket;
import dev.etcdj.mvcc.backend.MemoryBackend;
import dev.etcdj.mvcc.backend.ReadView;
import dev.etcdj.mvcc.backend.WriteUnit;
import dev.etcdj.proto.etcdserverpb.AlarmMember;
import dev.etcdj.proto.etcdserverpb.AlarmType;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The bytes of etcd's schema, taken from its description (peer protocol §7, KV-113).
final class SchemaTest {
  private final MemoryBackend backend = new MemoryBackend(BackendOptions.of(() -> 0, () -> {}));

  private static String hex(byte[] bytes) {
    assertNotNull(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  private String stored(Bucket bucket, String key) {
    try (ReadView view = backend.read()) {
      return hex(view.get(bucket, key.getBytes(UTF_8)));
    }
  }

  @Test
  void revisionKeysAreBigEndianAndMarkTombstones() {
    byte[] put = RevisionKey.encode(0x0102030405060708L, 9, false);
    byte[] tombstone = RevisionKey.encode(2, 0, true);
    assertEquals("01020304050607085f0000000000000009", hex(put));
    assertEquals("00000000000000025f000000000000000074", hex(tombstone));
    assertEquals(new Revision(0x0102030405060708L, 9), RevisionKey.decode(put));
    assertTrue(RevisionKey.isTombstone(tombstone));
  }

  @Test
  void metaHoldsEtcdsBytes() {
    try (ReadView empty = backend.read()) {
      assertEquals(0, Meta.consistentIndex(empty));
      assertEquals(0, Meta.term(empty));
      assertNull(Meta.confState(empty));
      assertNull(Meta.storageVersion(empty));
    }
    WriteUnit unit = backend.begin();
    Meta.putApplied(unit, 258, 3);
    Meta.putConfState(unit, "{\"voters\":[1]}".getBytes(UTF_8));
    Meta.putStorageVersion(unit, "3.7.0");
    unit.publish();
    assertEquals("0000000000000102", stored(Bucket.META, "consistent_index"));
    assertEquals("0000000000000003", stored(Bucket.META, "term"));
    assertEquals(hex("3.7.0".getBytes(UTF_8)), stored(Bucket.META, "storageVersion"));
    try (ReadView view = backend.read()) {
      assertEquals(258, Meta.consistentIndex(view));
      assertEquals(3, Meta.term(view));
      assertEquals(hex("{\"voters\":[1]}".getBytes(UTF_8)), hex(Meta.confState(view)));
      assertEquals("3.7.0", Meta.storageVersion(view));
    }
  }

  @Test
  void rowKeysAreEtcds() {
    assertEquals("fffffffffffffffe", hex(RowKeys.lease(-2)));
    assertEquals(-2, RowKeys.leaseId(RowKeys.lease(-2)));
    assertEquals(hex("8e9e05c52164694d".getBytes(UTF_8)), hex(RowKeys.member(0x8e9e05c52164694dL)));
    assertEquals(hex("ab".getBytes(UTF_8)), hex(RowKeys.member(0xab)));
    assertEquals(0x8e9e05c52164694dL, RowKeys.memberId(RowKeys.member(0x8e9e05c52164694dL)));
    AlarmMember alarm = AlarmMember.newBuilder().setMemberID(5).setAlarm(AlarmType.NOSPACE).build();
    assertEquals("08051001", hex(RowKeys.alarm(alarm)));
    assertEquals(alarm, RowKeys.alarm(RowKeys.alarm(alarm)));
    assertThrows(IllegalArgumentException.class, () -> RowKeys.alarm(new byte[] {0x08}));
  }

  @Test
  void namesOfAnyLengthAreKept() {
    ByteString shortName = ByteString.copyFromUtf8("b");
    ByteString longest = ByteString.copyFromUtf8("é" + "x".repeat(509));
    ByteString first = ByteString.copyFromUtf8("a".repeat(512));
    ByteString last = ByteString.copyFromUtf8("z".repeat(70_000));
    List<ByteString> names = List.of(shortName, longest, first, last);
    WriteUnit unit = backend.begin();
    for (ByteString name : names) {
      NamedRows.put(unit, Bucket.AUTH_USERS, name, new byte[] {(byte) names.indexOf(name)});
    }
    unit.publish();
    assertEquals("00", stored(Bucket.AUTH_USERS, "b"));
    List<ByteString> listed = new ArrayList<>();
    try (ReadView view = backend.read()) {
      for (ByteString name : names) {
        byte[] value = NamedRows.get(view, Bucket.AUTH_USERS, name);
        assertArrayEquals(new byte[] {(byte) names.indexOf(name)}, value);
      }
      assertNull(NamedRows.get(view, Bucket.AUTH_USERS, ByteString.copyFromUtf8("a".repeat(513))));
      NamedRows.forEach(
          view,
          Bucket.AUTH_USERS,
          (name, value) -> {
            assertEquals(names.indexOf(name), value[0]);
            listed.add(name);
          });
    }
    assertEquals(List.of(first, shortName, last, longest), listed);
    WriteUnit removal = backend.begin();
    NamedRows.delete(removal, Bucket.AUTH_USERS, last);
    removal.publish();
    try (ReadView view = backend.read()) {
      assertNull(NamedRows.get(view, Bucket.AUTH_USERS, last));
    }
  }
}
