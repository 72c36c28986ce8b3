package dev.etcdj.wal.recovery;

import dev.etcdj.wal.StorageException;
import dev.etcdj.wal.io.StoredFile;
import dev.etcdj.wal.record.RecordDecoder;
import dev.etcdj.wal.record.RecordDecoder.Envelope;
import dev.etcdj.wal.record.RunningCrc;
import dev.etcdj.wal.record.WalRecord;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;

/// Reads the frames of one segment in order, holding one window of it in memory.
final class SegmentReader {
  private static final int FRAME_HEAD_BYTES = 8;
  private static final int SECTOR_BYTES = 512;
  private static final int WINDOW_BYTES = 1 << 16;

  /// What comes next in the segment.
  sealed interface Step {
    /// A record whose checksum holds.
    record Good(WalRecord record) implements Step {}

    /// Nothing more: a zero length, or the end of the file.
    record End() implements Step {}

    /// A frame that a crash can have left: part of it never reached the disk.
    record Torn(String expected, String found) implements Step {}

    /// A frame that no crash leaves.
    record Damaged(String expected, String found) implements Step {}
  }

  private final Path path;
  private final StoredFile file;
  private final long size;
  private final RunningCrc crc;

  private ByteBuffer window =
      ByteBuffer.allocate(WINDOW_BYTES).order(ByteOrder.LITTLE_ENDIAN).limit(0);
  private long windowStart;
  private long position;
  private long frameStart;

  /// @param crc the chain up to this segment, moved on by each record
  SegmentReader(Path path, StoredFile file, RunningCrc crc) {
    this.path = path;
    this.file = file;
    this.crc = crc;
    try {
      this.size = file.size();
    } catch (IOException failure) {
      throw new StorageException(path, -1, "cannot be measured", failure);
    }
  }

  /// Offset behind the last good record.
  long position() {
    return position;
  }

  /// Offset at which the last good record's frame begins.
  long frameStart() {
    return frameStart;
  }

  /// The next frame; after anything but `Good` the reader stays where it is.
  Step next() {
    long left = size - position;
    if (left < FRAME_HEAD_BYTES) {
      return left == 0 ? new Step.End() : torn("a frame of 8 bytes or more", left + " bytes");
    }
    fill(FRAME_HEAD_BYTES);
    long word = window.getLong(at(position));
    if (word == 0) {
      return end();
    }
    long length = word & 0x00ff_ffff_ffff_ffffL;
    int flags = (int) (word >>> 56);
    int pad = flags & 7;
    if (flags != (pad == 0 ? 0 : 0x80 | pad)) {
      return new Step.Damaged("padding flags 00 or 81 to 87", String.format("%02x", flags));
    }
    left -= FRAME_HEAD_BYTES;
    if (length > left - pad || length > Integer.MAX_VALUE - WINDOW_BYTES) {
      return beyondEnd(length, left);
    }
    fill(FRAME_HEAD_BYTES + (int) length + pad);
    return record((int) length, pad);
  }

  /// Sectors reach the disk whole, so what was never written is zero up to the next sector.
  private Step end() {
    int rest = (int) Math.min(SECTOR_BYTES - position % SECTOR_BYTES, size - position);
    fill(rest);
    return isZero(window.array(), at(position), at(position) + rest)
        ? new Step.End()
        : new Step.Damaged("a frame", "length 0, and bytes behind it in the same sector");
  }

  private Step record(int length, int pad) {
    int start = at(position) + FRAME_HEAD_BYTES;
    byte[] bytes = window.array();
    Envelope envelope = RecordDecoder.envelope(bytes, start, length);
    if (envelope == null) {
      return broken("a record of " + length + " bytes", "no record", start, length, pad);
    }
    boolean chained = envelope.type() == WalRecord.CHECKSUM;
    if (!chained) {
      int before = crc.value();
      crc.update(bytes, envelope.dataOffset(), envelope.dataLength());
      if (crc.value() != envelope.crc()) {
        String found = checksum(crc.value());
        crc.startFrom(before);
        return broken(checksum(envelope.crc()), found, start, length, pad);
      }
    }
    WalRecord record = RecordDecoder.payload(bytes, envelope);
    if (record == null) {
      String found =
          "type " + envelope.type() + " with " + envelope.dataLength() + " bytes of data";
      return new Step.Damaged("a known record", found);
    }
    if (pad != (-length & 7)) {
      return new Step.Damaged((-length & 7) + " bytes of padding", pad + " bytes");
    }
    frameStart = position;
    position += FRAME_HEAD_BYTES + length + pad;
    return new Step.Good(record);
  }

  /// A length that reaches behind the end of the file is what a crash leaves of a file that was
  /// growing; but the record itself repeats its length, so a damaged length is told apart.
  private Step beyondEnd(long length, long left) {
    int available = (int) Math.min(left, 64);
    fill(FRAME_HEAD_BYTES + available);
    long declared =
        RecordDecoder.declaredLength(window.array(), at(position) + FRAME_HEAD_BYTES, available);
    String expected = "a record of " + length + " bytes";
    return declared >= 0 && declared != length
        ? new Step.Damaged(expected, "one that declares " + declared)
        : torn(expected, left + " bytes up to the end of the file");
  }

  private Step broken(String expected, String found, int start, int length, int pad) {
    boolean unwritten = hasUnwrittenSector(start, length) || endIsUnwritten(start, length, pad);
    return unwritten ? torn(expected, found) : new Step.Damaged(expected, found);
  }

  private static Step torn(String expected, String found) {
    return new Step.Torn(expected, found);
  }

  /// Sectors reach the disk whole, and what was there before is zeros. A sector that holds padding
  /// alone proves nothing.
  private boolean hasUnwrittenSector(int start, int length) {
    byte[] bytes = window.array();
    int untilBoundary = SECTOR_BYTES - (int) ((position + FRAME_HEAD_BYTES) % SECTOR_BYTES);
    for (int from = 0, to = untilBoundary; from < length; from = to, to += SECTOR_BYTES) {
      if (isZero(bytes, start + from, start + Math.min(to, length))) {
        return true;
      }
    }
    return false;
  }

  /// A write that stopped at any byte: this record lacks at least its last one, and nothing at all
  /// lies behind it.
  private boolean endIsUnwritten(int start, int length, int pad) {
    if (length == 0 || !isZero(window.array(), start + length - 1, start + length + pad)) {
      return false;
    }
    byte[] chunk = new byte[WINDOW_BYTES];
    for (long at = position + FRAME_HEAD_BYTES + length + pad; at < size; ) {
      int read = read(ByteBuffer.wrap(chunk), at);
      if (!isZero(chunk, 0, read)) {
        return false;
      }
      at += read;
    }
    return true;
  }

  private static boolean isZero(byte[] bytes, int from, int to) {
    for (int at = from; at < to; at++) {
      if (bytes[at] != 0) {
        return false;
      }
    }
    return true;
  }

  private static String checksum(int value) {
    return "checksum " + String.format("%08x", value);
  }

  private int at(long offset) {
    return (int) (offset - windowStart);
  }

  /// Brings `bytes` bytes from `position` on into the window; they are known to exist.
  private void fill(int bytes) {
    if (position + bytes <= windowStart + window.limit()) {
      return;
    }
    window.position(at(position));
    if (window.capacity() < bytes) {
      window = ByteBuffer.allocate(bytes + WINDOW_BYTES).order(ByteOrder.LITTLE_ENDIAN).put(window);
    } else {
      window.compact();
    }
    windowStart = position;
    while (window.position() < bytes) {
      read(window, windowStart + window.position());
    }
    window.flip();
  }

  private int read(ByteBuffer into, long from) {
    try {
      int read = file.read(into, from);
      if (read <= 0) {
        throw new StorageException(path, from, size + " bytes in the file", "its end");
      }
      return read;
    } catch (IOException failure) {
      throw new StorageException(path, from, "cannot be read", failure);
    }
  }
}
