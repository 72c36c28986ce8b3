package dev.etcdj.wal.record;

import dev.etcdj.raft.log.Bytes;
import dev.etcdj.raft.log.ConfState;
import dev.etcdj.raft.log.Entry;
import dev.etcdj.raft.log.EntryType;
import dev.etcdj.raft.log.HardState;
import dev.etcdj.wal.WalMetadata;
import dev.etcdj.wal.WalSnapshot;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/// Turns records into frames in one reusable buffer, byte for byte as etcd 3.7 does.
///
/// ```
/// ┌──────────────────────────────┬───────────────────────────────────┬───────────┐
/// │ u64 LE                       │ walpb.Record, n bytes             │ p zeros   │
/// │ bits 0..55 n, 56..58 p,      │ 08 type  10 crc  1a length data   │ so that   │
/// │ bit 63 set when p > 0        │                                   │ 8 | n + p │
/// └──────────────────────────────┴───────────────────────────────────┴───────────┘
/// ```
///
/// `crc` runs over the `data` of all records since the log began. The buffer grows with what is
/// put into it and gives back what an unusually long record took on [#drained]. Thread: the
// owner's.
public final class RecordEncoder {
  private static final int FIRST_BYTES = 1 << 16;
  private static final int USUAL_BYTES = 1 << 20;
  private static final int FRAME_OVERHEAD_BYTES = 8 + 2 + 6 + 6 + 7;

  private final RunningCrc crc;
  private ProtoScratch head = new ProtoScratch(64);
  private ByteBuffer frames = newBuffer(FIRST_BYTES);

  /// @param crc the chain so far; from now on this encoder moves it
  public RecordEncoder(RunningCrc crc) {
    this.crc = crc;
  }

  /// The head of a segment: the running checksum itself, which covers no data.
  public void checksum() {
    put(WalRecord.CHECKSUM, head.clear(), Bytes.EMPTY);
  }

  public void metadata(WalMetadata metadata) {
    head.clear().field(1, metadata.nodeId()).field(2, metadata.clusterId());
    put(WalRecord.METADATA, head, Bytes.EMPTY);
  }

  /// Absent for zero: the type of a normal entry and the data of an empty one (peer.md §3.10).
  public void entry(Entry entry) {
    head.clear();
    if (entry.type() != EntryType.NORMAL) {
      head.field(1, entry.type().number());
    }
    head.field(2, entry.term()).field(3, entry.index());
    if (!entry.data().isEmpty()) {
      head.lengthPrefix(4, entry.data().length());
    }
    put(WalRecord.ENTRY, head, entry.data());
  }

  public void state(HardState state) {
    head.clear().field(1, state.term()).field(2, state.vote()).field(3, state.commit());
    put(WalRecord.STATE, head, Bytes.EMPTY);
  }

  /// The configuration is left out only at index 0, where etcd does so too.
  public void snapshot(WalSnapshot snapshot) {
    head.clear().field(1, snapshot.index()).field(2, snapshot.term());
    if (snapshot.index() > 0) {
      ProtoScratch members = confState(snapshot.confState());
      head.lengthPrefix(3, members.length()).bytes(members);
    }
    put(WalRecord.SNAPSHOT, head, Bytes.EMPTY);
  }

  /// Bytes waiting to be written.
  public int pendingBytes() {
    return frames.position();
  }

  /// What is waiting, ready to be read; valid until the next record is put.
  public ByteBuffer pending() {
    return frames.duplicate().flip();
  }

  /// Forgets what was waiting: it has been written.
  public void drained() {
    if (frames.capacity() > 2 * USUAL_BYTES) {
      frames = newBuffer(USUAL_BYTES);
    }
    frames.clear();
  }

  /// The checksum up to the last record put.
  public int crc() {
    return crc.value();
  }

  private void put(int type, ProtoScratch start, Bytes rest) {
    int dataBytes = start.length() + rest.length();
    crc.update(start.array(), 0, start.length());
    crc.update(rest.unsafeArray(), 0, rest.length());
    int value = crc.value();
    int recordBytes = 2 + 1 + ProtoScratch.varintBytes(Integer.toUnsignedLong(value));
    if (dataBytes > 0) {
      recordBytes += 1 + ProtoScratch.varintBytes(dataBytes) + dataBytes;
    }
    int padBytes = -recordBytes & 7;
    ByteBuffer out = room(FRAME_OVERHEAD_BYTES + dataBytes);
    out.putLong(recordBytes | (padBytes == 0 ? 0 : (0x80L | padBytes) << 56));
    out.put((byte) 0x08).put((byte) type).put((byte) 0x10);
    ProtoScratch.putVarint(out, Integer.toUnsignedLong(value));
    if (dataBytes > 0) {
      out.put((byte) 0x1a);
      ProtoScratch.putVarint(out, dataBytes);
      out.put(start.array(), 0, start.length()).put(rest.unsafeArray());
    }
    for (int pad = 0; pad < padBytes; pad++) {
      out.put((byte) 0);
    }
  }

  private ByteBuffer room(int bytes) {
    if (frames.remaining() < bytes) {
      int needed = Math.addExact(frames.position(), bytes);
      long doubled = Math.min(2L * frames.capacity(), Integer.MAX_VALUE - 8);
      frames = newBuffer((int) Math.max(needed, doubled)).put(frames.flip());
    }
    return frames;
  }

  private static ByteBuffer newBuffer(int bytes) {
    return ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static ProtoScratch confState(ConfState state) {
    ProtoScratch out = new ProtoScratch(64);
    ids(out, 1, state.voters());
    ids(out, 2, state.learners());
    ids(out, 3, state.votersOutgoing());
    ids(out, 4, state.learnersNext());
    return out.field(5, state.autoLeave() ? 1 : 0);
  }

  private static void ids(ProtoScratch out, int field, List<Long> ids) {
    for (long id : ids) {
      out.field(field, id);
    }
  }
}
