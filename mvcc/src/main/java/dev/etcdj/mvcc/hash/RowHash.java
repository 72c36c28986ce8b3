package dev.etcdj.mvcc.hash;

import dev.etcdj.mvcc.backend.Bucket;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/// Running CRC-32C over stored rows: the bucket's name, then key and value of each (KV-111).
public final class RowHash {
  private final CRC32C crc = new CRC32C();

  public RowHash() {
    crc.update(Bucket.KEY.text().getBytes(StandardCharsets.US_ASCII));
  }

  public void add(byte[] key, byte[] value) {
    crc.update(key);
    crc.update(value);
  }

  /// Unsigned 32 bits.
  public int value() {
    return (int) crc.getValue();
  }
}
