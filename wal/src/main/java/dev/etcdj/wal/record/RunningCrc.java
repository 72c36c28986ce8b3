package dev.etcdj.wal.record;

import java.util.zip.CRC32C;

/// CRC-32C that can go on from a known value, which `java.util.zip.CRC32C` cannot.
///
/// It still does the work, because the virtual machine computes it with the processor's own
/// instruction: to go on from a value, a fresh one is fed the four bytes that lead to it. In the
/// log that happens once per opening; from then on one running instance covers all segments.
public final class RunningCrc {
  private static final int POLYNOMIAL = 0x82F63B78;
  private static final int[] TABLE = new int[256];
  private static final int[] INDEX_OF_TOP_BYTE = new int[256];

  static {
    for (int index = 0; index < 256; index++) {
      int value = index;
      for (int bit = 0; bit < 8; bit++) {
        value = (value & 1) != 0 ? (value >>> 1) ^ POLYNOMIAL : value >>> 1;
      }
      TABLE[index] = value;
      INDEX_OF_TOP_BYTE[value >>> 24] = index;
    }
  }

  private final CRC32C crc = new CRC32C();

  /// Goes on as if everything that led to `value` had been fed.
  public void startFrom(int value) {
    crc.reset();
    if (value == 0) {
      return;
    }
    // The register before four zero bytes that leave ~value behind; what has to be fed instead of
    // zeros is its difference to the register of a fresh checksum, which is all ones.
    int register = ~value;
    for (int step = 0; step < 4; step++) {
      int index = INDEX_OF_TOP_BYTE[register >>> 24];
      register = (register ^ TABLE[index]) << 8 | index;
    }
    int prefix = ~register;
    for (int step = 0; step < 4; step++) {
      crc.update(prefix >>> (8 * step));
    }
  }

  public void update(byte[] bytes, int offset, int length) {
    crc.update(bytes, offset, length);
  }

  /// The checksum of all that was fed.
  public int value() {
    return (int) crc.getValue();
  }
}
