package dev.etcdj.wal.record;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import com.google.protobuf.ByteString;
import dev.etcdj.proto.etcdserverpb.Metadata;
import dev.etcdj.proto.raftpb.ConfState;
import dev.etcdj.proto.walpb.Record;
import dev.etcdj.proto.walpb.Snapshot;
import dev.etcdj.raft.log.Bytes;
import dev.etcdj.raft.log.Entry;
import dev.etcdj.raft.log.EntryType;
import dev.etcdj.raft.log.HardState;
import dev.etcdj.wal.WalMetadata;
import dev.etcdj.wal.WalSnapshot;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import java.util.zip.CRC32C;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;

/// Frames are byte-equal to what the generated protobuf classes and a plain CRC-32C give, and
/// decode to what was put in. Source: peer.md §5.2, §5.3, §3.10. Replay: `-Dseed=`.
@NullUnmarked
class RecordTest {
  private final long seed = Long.getLong("seed", 20261129L);
  private final RandomGenerator random = new SplittableRandom(seed);

  private final RecordEncoder encoder = new RecordEncoder(new RunningCrc());
  private final ByteArrayOutputStream expected = new ByteArrayOutputStream();
  private final CRC32C plain = new CRC32C();

  @Test
  void framesAreThoseOfTheGeneratedClasses() {
    encoder.checksum();
    expect(WalRecord.CHECKSUM, null);
    encoder.metadata(new WalMetadata(-1, 5));
    expect(
        WalRecord.METADATA,
        Metadata.newBuilder().setNodeID(-1).setClusterID(5).build().toByteString());
    encoder.snapshot(WalSnapshot.NONE);
    expect(WalRecord.SNAPSHOT, Snapshot.newBuilder().setIndex(0).setTerm(0).build().toByteString());
    for (int round = 0; round < 2_000; round++) {
      switch (random.nextInt(4)) {
        case 0 -> state();
        case 1 -> snapshot();
        default -> entry(random.nextInt(50) == 0 ? random.nextInt(3 << 20) : random.nextInt(300));
      }
      if (encoder.pendingBytes() > 1 << 20) {
        compare();
      }
    }
    compare();
    assertEquals((int) plain.getValue(), encoder.crc(), "seed " + seed);
  }

  @Test
  void theChecksumGoesOnFromAnyValue() {
    for (int round = 0; round < 1_000; round++) {
      byte[] bytes = bytes(random.nextInt(100));
      int split = random.nextInt(bytes.length + 1);
      RunningCrc whole = new RunningCrc();
      whole.update(bytes, 0, bytes.length);
      RunningCrc head = new RunningCrc();
      head.update(bytes, 0, split);
      RunningCrc tail = new RunningCrc();
      tail.update(bytes(7), 0, 7);
      tail.startFrom(head.value());
      assertEquals(head.value(), tail.value(), "seed " + seed);
      tail.update(bytes, split, bytes.length - split);
      assertEquals(whole.value(), tail.value(), "seed " + seed);
    }
  }

  @Test
  void absentFieldsReadAsZeroAndUnknownOnesAreSkipped() {
    byte[] entry = {0x78, 5, 0x18, 9};
    Record record =
        Record.newBuilder().setType(WalRecord.ENTRY).setData(ByteString.copyFrom(entry)).build();
    assertEquals(
        new WalRecord.Appended(new Entry(0, 9, EntryType.NORMAL, Bytes.EMPTY)),
        decode(record.toByteArray()));
    assertEquals(
        new WalRecord.State(HardState.EMPTY),
        decode(Record.newBuilder().setType(WalRecord.STATE).build().toByteArray()));
  }

  @Test
  void whatIsNoRecordIsNull() {
    for (int round = 0; round < 20_000; round++) {
      byte[] junk = bytes(random.nextInt(40));
      RecordDecoder.Envelope envelope = RecordDecoder.envelope(junk, 0, junk.length);
      if (envelope != null) {
        RecordDecoder.payload(junk, envelope);
      }
      RecordDecoder.declaredLength(junk, 0, junk.length);
    }
    assertNull(RecordDecoder.envelope(new byte[30], 0, 30));
    byte[] unknownType = Record.newBuilder().setType(6).build().toByteArray();
    assertNull(decode(unknownType));
  }

  private static WalRecord decode(byte[] bytes) {
    RecordDecoder.Envelope envelope = RecordDecoder.envelope(bytes, 0, bytes.length);
    assertNotNull(envelope);
    return RecordDecoder.payload(bytes, envelope);
  }

  private void entry(int bytes) {
    EntryType type = EntryType.values()[random.nextInt(3)];
    Entry entry = new Entry(number(), number(), type, Bytes.wrap(bytes(bytes)));
    encoder.entry(entry);
    var message =
        dev.etcdj.proto.raftpb.Entry.newBuilder().setTerm(entry.term()).setIndex(entry.index());
    if (type != EntryType.NORMAL) {
      message.setType(dev.etcdj.proto.raftpb.EntryType.forNumber(type.number()));
    }
    if (bytes > 0) {
      message.setData(ByteString.copyFrom(entry.data().unsafeArray()));
    }
    byte[] record = expect(WalRecord.ENTRY, message.build().toByteString());
    assertEquals(new WalRecord.Appended(entry), decode(record));
    assertEquals(record.length, RecordDecoder.declaredLength(record, 0, record.length));
  }

  private void state() {
    HardState state = new HardState(number(), number(), number());
    encoder.state(state);
    var message =
        dev.etcdj.proto.raftpb.HardState.newBuilder()
            .setTerm(state.term())
            .setVote(state.vote())
            .setCommit(state.commit());
    byte[] record = expect(WalRecord.STATE, message.build().toByteString());
    assertEquals(new WalRecord.State(state), decode(record));
  }

  private void snapshot() {
    boolean joint = random.nextBoolean();
    var members =
        new dev.etcdj.raft.log.ConfState(
            List.of(1L, -7L, number()),
            List.of(number()),
            joint ? List.of(3L) : List.of(),
            joint ? List.of(4L, 5L) : List.of(),
            joint);
    WalSnapshot snapshot = new WalSnapshot(1 + (number() >>> 1), number(), members);
    encoder.snapshot(snapshot);
    var message =
        Snapshot.newBuilder()
            .setIndex(snapshot.index())
            .setTerm(snapshot.term())
            .setConfState(
                ConfState.newBuilder()
                    .addAllVoters(members.voters())
                    .addAllLearners(members.learners())
                    .addAllVotersOutgoing(members.votersOutgoing())
                    .addAllLearnersNext(members.learnersNext())
                    .setAutoLeave(joint));
    byte[] record = expect(WalRecord.SNAPSHOT, message.build().toByteString());
    assertEquals(new WalRecord.Marked(snapshot), decode(record));
  }

  private long number() {
    return random.nextLong() >>> random.nextInt(64);
  }

  private byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  private byte[] expect(int type, ByteString data) {
    Record.Builder record = Record.newBuilder().setType(type);
    if (data != null) {
      plain.update(data.toByteArray());
      record.setData(data);
    }
    byte[] bytes = record.setCrc((int) plain.getValue()).build().toByteArray();
    int pad = (8 - bytes.length % 8) % 8;
    long word = bytes.length | (pad == 0 ? 0 : (0x80L | pad) << 56);
    byte[] head = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(word).array();
    expected.writeBytes(head);
    expected.writeBytes(bytes);
    expected.writeBytes(new byte[pad]);
    return bytes;
  }

  private void compare() {
    byte[] found = new byte[encoder.pendingBytes()];
    encoder.pending().get(found);
    encoder.drained();
    assertArrayEquals(expected.toByteArray(), found, "seed " + seed);
    expected.reset();
  }
}
