package dev.etcdj.wal.record;

import dev.etcdj.raft.log.Bytes;
import dev.etcdj.raft.log.ConfState;
import dev.etcdj.raft.log.Entry;
import dev.etcdj.raft.log.EntryType;
import dev.etcdj.raft.log.HardState;
import dev.etcdj.wal.WalMetadata;
import dev.etcdj.wal.WalSnapshot;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Reads walpb.Record in two steps, so that the checksum is verified before the data is believed:
/// [#envelope], then [#payload]. Absent fields count as zero (peer.md §3.10).
public final class RecordDecoder {

  /// A record's outer fields; the data lies in the array that was given.
  public record Envelope(int type, int crc, int dataOffset, int dataLength) {}

  private RecordDecoder() {}

  /// @return null when the bytes are no walpb.Record
  public static @Nullable Envelope envelope(byte[] array, int offset, int length) {
    ProtoCursor in = new ProtoCursor(array, offset, length);
    long type = 0;
    int crc = 0;
    int dataOffset = offset;
    int dataLength = 0;
    for (int field; (field = in.nextField()) != 0; ) {
      switch (field) {
        case 1 -> type = in.number();
        case 2 -> crc = (int) in.number();
        case 3 -> {
          dataLength = in.length();
          dataOffset = in.position();
          in.skip(dataLength);
        }
        default -> in.skipUnknown();
      }
    }
    boolean plausible = !in.malformed() && type > 0 && type <= Integer.MAX_VALUE;
    return plausible ? new Envelope((int) type, crc, dataOffset, dataLength) : null;
  }

  /// Length that a record's own first fields give it, from as many of its bytes as there are; -1
  /// when they do not reach, or do not look like the head of a record and a first byte of data.
  public static long declaredLength(byte[] array, int offset, int available) {
    ProtoCursor in = new ProtoCursor(array, offset, available);
    if (in.nextField() != 1 || in.number() <= 0 || in.nextField() != 2) {
      return -1;
    }
    in.number();
    if (in.malformed() || in.position() >= offset + available || array[in.position()] != 0x1a) {
      return -1;
    }
    int at = in.position() + 1;
    long dataLength = 0;
    for (int shift = 0; at < offset + available && shift < 35; shift += 7) {
      byte next = array[at++];
      dataLength |= (next & 0x7fL) << shift;
      if (next >= 0) {
        boolean dataBegins = at < offset + available && array[at] != 0;
        return dataBegins ? at - offset + dataLength : -1;
      }
    }
    return -1;
  }

  /// @return null when the data is not what the type says, or the type is unknown
  public static @Nullable WalRecord payload(byte[] array, Envelope envelope) {
    ProtoCursor in = new ProtoCursor(array, envelope.dataOffset(), envelope.dataLength());
    WalRecord record =
        switch (envelope.type()) {
          case WalRecord.METADATA -> metadata(in);
          case WalRecord.ENTRY -> entry(array, in);
          case WalRecord.STATE -> state(in);
          case WalRecord.CHECKSUM -> new WalRecord.Checksum(envelope.crc());
          case WalRecord.SNAPSHOT -> snapshot(array, in);
          default -> null;
        };
    return in.malformed() ? null : record;
  }

  private static WalRecord metadata(ProtoCursor in) {
    long nodeId = 0;
    long clusterId = 0;
    for (int field; (field = in.nextField()) != 0; ) {
      switch (field) {
        case 1 -> nodeId = in.number();
        case 2 -> clusterId = in.number();
        default -> in.skipUnknown();
      }
    }
    return new WalRecord.Metadata(new WalMetadata(nodeId, clusterId));
  }

  private static @Nullable WalRecord entry(byte[] array, ProtoCursor in) {
    long type = 0;
    long term = 0;
    long index = 0;
    Bytes data = Bytes.EMPTY;
    for (int field; (field = in.nextField()) != 0; ) {
      switch (field) {
        case 1 -> type = in.number();
        case 2 -> term = in.number();
        case 3 -> index = in.number();
        case 4 -> {
          int length = in.length();
          data = Bytes.wrap(Arrays.copyOfRange(array, in.position(), in.position() + length));
          in.skip(length);
        }
        default -> in.skipUnknown();
      }
    }
    for (EntryType known : EntryType.values()) {
      if (known.number() == type) {
        return new WalRecord.Appended(new Entry(term, index, known, data));
      }
    }
    return null;
  }

  private static WalRecord state(ProtoCursor in) {
    long term = 0;
    long vote = 0;
    long commit = 0;
    for (int field; (field = in.nextField()) != 0; ) {
      switch (field) {
        case 1 -> term = in.number();
        case 2 -> vote = in.number();
        case 3 -> commit = in.number();
        default -> in.skipUnknown();
      }
    }
    return new WalRecord.State(new HardState(term, vote, commit));
  }

  private static @Nullable WalRecord snapshot(byte[] array, ProtoCursor in) {
    long index = 0;
    long term = 0;
    ConfState members = ConfState.EMPTY;
    for (int field; (field = in.nextField()) != 0; ) {
      switch (field) {
        case 1 -> index = in.number();
        case 2 -> term = in.number();
        case 3 -> {
          int length = in.length();
          ConfState read = confState(new ProtoCursor(array, in.position(), length));
          if (read == null) {
            return null;
          }
          members = read;
          in.skip(length);
        }
        default -> in.skipUnknown();
      }
    }
    return new WalRecord.Marked(new WalSnapshot(index, term, members));
  }

  private static @Nullable ConfState confState(ProtoCursor in) {
    List<List<Long>> ids =
        List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    boolean autoLeave = false;
    for (int field; (field = in.nextField()) != 0; ) {
      switch (field) {
        case 1, 2, 3, 4 -> in.numbers(ids.get(field - 1));
        case 5 -> autoLeave = in.number() != 0;
        default -> in.skipUnknown();
      }
    }
    return in.malformed()
        ? null
        : new ConfState(ids.get(0), ids.get(1), ids.get(2), ids.get(3), autoLeave);
  }
}
