package dev.etcdj.mvcc.watch;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import dev.etcdj.mvcc.Event;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// One change with its wire form, made when the first watcher asks and shared by all of them.
/// Thread-safe: two threads may both encode, then one result is thrown away.
final class WatchEvent {
  private static final VarHandle WIRE;
  private static final VarHandle WITH_PREVIOUS;
  private static final byte KEY_TAG = 0x0a;
  private static final byte TYPE_TAG = 0x08;
  private static final byte KV_TAG = 0x12;
  private static final byte PREV_KV_TAG = 0x1a;
  private static final byte MOD_REVISION_TAG = 0x18;

  /// Stands in [#withPrevious] once the event left the ring, so that nobody adds bytes that no
  /// one accounts for.
  private static final byte[] FORGOTTEN = new byte[0];

  static {
    try {
      var lookup = MethodHandles.lookup();
      WIRE = lookup.findVarHandle(WatchEvent.class, "wire", byte[].class);
      WITH_PREVIOUS = lookup.findVarHandle(WatchEvent.class, "withPrevious", byte[].class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  // Few fields and nothing of the event's own objects: thousands of these stay in the ring, and
  // each is moved by the collector a few times.

  private final long revision;
  private final boolean delete;
  private final boolean created;

  /// Holds the stored value from `keyValueFrom` to its end.
  private final byte[] holder;

  private final int keyValueFrom;

  /// Where the key's bytes are: normally inside the stored value, whose first field it is.
  private final byte[] keyHolder;

  private final int keyFrom;
  private final int keyLength;

  /// Read by every stream's owner.
  private volatile byte @Nullable [] wire;

  /// Read by every stream's owner and by watch-sync.
  private volatile byte @Nullable [] withPrevious;

  /// Finds a key's value at a revision.
  @FunctionalInterface
  interface Values {
    byte @Nullable [] valueAt(ByteString key, long revision);
  }

  /// An event of the past, read because somebody wants it: encoded at once, so that its value is
  /// held once and not twice.
  static WatchEvent encoded(Event event) {
    WatchEvent plain = new WatchEvent(event);
    return event.delete() ? plain : new WatchEvent(plain, plain.encode(null));
  }

  /// A put whose wire form, which ends with the stored value, is made.
  private WatchEvent(WatchEvent plain, byte[] wire) {
    int shift = wire.length - plain.holder.length;
    boolean inside = plain.keyFrom > 0;
    this.revision = plain.revision;
    this.delete = plain.delete;
    this.created = plain.created;
    this.holder = wire;
    this.keyValueFrom = shift;
    this.keyHolder = inside ? wire : plain.keyHolder;
    this.keyFrom = inside ? plain.keyFrom + shift : plain.keyFrom;
    this.keyLength = plain.keyLength;
    this.wire = wire;
  }

  WatchEvent(Event event) {
    byte[] kv = event.keyValue();
    int length = event.key().size();
    int from = 1 + varintBytes(length);
    boolean inside = kv.length >= from + length && kv[0] == KEY_TAG && readVarint(kv, 1) == length;
    this.revision = event.revision().main();
    this.delete = event.delete();
    this.created = event.created();
    this.holder = kv;
    this.keyValueFrom = 0;
    this.keyHolder = inside ? kv : event.key().toByteArray();
    this.keyFrom = inside ? from : 0;
    this.keyLength = length;
  }

  /// A view of the key's bytes, made anew.
  ByteString key() {
    return UnsafeByteOperations.unsafeWrap(ByteBuffer.wrap(keyHolder, keyFrom, keyLength));
  }

  boolean isDelete() {
    return delete;
  }

  long revision() {
    return revision;
  }

  /// Bytes it may come to hold, but for a previous value.
  long weight() {
    return 112L + (keyValueFrom > 0 ? 1L : 2L) * holder.length + keyLength;
  }

  int compareKey(byte[] other) {
    return Arrays.compareUnsigned(keyHolder, keyFrom, keyFrom + keyLength, other, 0, other.length);
  }

  /// @param end exclusive; null: no end
  boolean isBelow(byte @Nullable [] end) {
    return end == null || compareKey(end) < 0;
  }

  /// Wire-form `mvccpb.Event` without prev_kv.
  byte[] wire() {
    byte[] made = wire;
    if (made == null) {
      made = encode(null);
      if (!WIRE.compareAndSet(this, (byte[]) null, made)) {
        return wire();
      }
    }
    return made;
  }

  /// The same with prev_kv, if it was already looked up.
  byte @Nullable [] knownWithPrevious() {
    byte[] known = withPrevious;
    return known == null || known.length == 0 ? null : known;
  }

  /// Looks prev_kv up unless known (WATCH-57..59).
  ///
  /// @return bytes the event grew by
  long resolvePrevious(Values values) {
    if (withPrevious != null) {
      return 0;
    }
    byte[] made = encodeWithPrevious(values);
    return WITH_PREVIOUS.compareAndSet(this, (byte[]) null, made) ? previousBytes(made) : 0;
  }

  /// Keeps no further previous value.
  ///
  /// @return bytes given up
  long forget() {
    byte[] had = (byte[]) WITH_PREVIOUS.getAndSet(this, FORGOTTEN);
    return had == null ? 0 : previousBytes(had);
  }

  private long previousBytes(byte[] made) {
    byte[] plain = wire;
    return plain != null && plain.length == made.length ? 0 : made.length;
  }

  /// The same, looked up anew.
  byte[] encodeWithPrevious(Values values) {
    byte[] previous = created ? null : values.valueAt(key(), revision - 1);
    return previous == null ? wire() : encode(previous);
  }

  private byte[] encode(byte @Nullable [] previous) {
    byte[] kv = delete ? deletedKeyValue() : holder;
    int from = delete ? 0 : keyValueFrom;
    int length = kv.length - from;
    int bytes = (delete ? 2 : 0) + 1 + varintBytes(length) + length;
    if (previous != null) {
      bytes += 1 + varintBytes(previous.length) + previous.length;
    }
    byte[] to = new byte[bytes];
    int at = 0;
    if (delete) {
      to[at++] = TYPE_TAG;
      to[at++] = 1;
    }
    at = putField(to, at, KV_TAG, kv, from);
    if (previous != null) {
      at = putField(to, at, PREV_KV_TAG, previous, 0);
    }
    assert at == bytes;
    return to;
  }

  /// Key and mod_revision, which a stored tombstone does not repeat (WATCH-40, KV-8).
  private byte[] deletedKeyValue() {
    byte[] key = Arrays.copyOfRange(keyHolder, keyFrom, keyFrom + keyLength);
    byte[] to = new byte[2 + varintBytes(key.length) + key.length + varintBytes(revision)];
    int at = putField(to, 0, KEY_TAG, key, 0);
    to[at++] = MOD_REVISION_TAG;
    at = putVarint(to, at, revision);
    assert at == to.length;
    return to;
  }

  private static int putField(byte[] to, int start, byte tag, byte[] value, int from) {
    int length = value.length - from;
    to[start] = tag;
    int at = putVarint(to, start + 1, length);
    System.arraycopy(value, from, to, at, length);
    return at + length;
  }

  private static int putVarint(byte[] to, int start, long value) {
    int at = start;
    long rest = value;
    for (; rest > 0x7f; rest >>>= 7) {
      to[at++] = (byte) (rest | 0x80);
    }
    to[at++] = (byte) rest;
    return at;
  }

  private static int readVarint(byte[] from, int start) {
    int value = 0;
    int shift = 0;
    for (int at = start; at < from.length && shift < 32; at++, shift += 7) {
      value |= (from[at] & 0x7f) << shift;
      if (from[at] >= 0) {
        return value;
      }
    }
    return -1;
  }

  /// Bytes of `value` as a varint.
  static int varintBytes(long value) {
    return value == 0 ? 1 : (70 - Long.numberOfLeadingZeros(value)) / 7;
  }
}
