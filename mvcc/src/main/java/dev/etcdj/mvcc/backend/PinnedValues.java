package dev.etcdj.mvcc.backend;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// A list of values that are left where they are: in the map of the file, or in a batch. Takes 12
/// bytes for each, however long they are.
///
/// What a [ReadView] added is readable until that view is closed, and not one call longer: the
/// memory may be anything then. One thread at a time.
public final class PinnedValues {
  private static final int FIRST_VALUES = 64;

  /// All memory, of which values in a map are slices.
  private static final MemorySegment MEMORY = memory();

  private int size;
  private int[] lengths = new int[FIRST_VALUES];

  /// Where each value begins in memory; 0 for those in `arrays`.
  private long[] addresses = new long[FIRST_VALUES];

  /// Null until a value is an array; as long as the two above from then on.
  private byte @Nullable [] @Nullable [] arrays;

  @SuppressWarnings("restricted") // whoever may load LMDB may do this
  private static MemorySegment memory() {
    return MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
  }

  /// Adds a value that is an array, which stays as it is.
  public void add(byte[] value) {
    if (arrays == null) {
      arrays = new byte[lengths.length][];
    }
    int at = next(value.length);
    arrays[at] = value;
  }

  /// Adds the bytes between position and limit of a direct buffer. The buffer may change
  /// afterwards; what it stands on may not.
  void addDirect(ByteBuffer value) {
    int at = next(value.remaining());
    addresses[at] = MemorySegment.ofBuffer(value).address();
  }

  private int next(int length) {
    if (size == lengths.length) {
      int room = 2 * size;
      lengths = Arrays.copyOf(lengths, room);
      addresses = Arrays.copyOf(addresses, room);
      arrays = arrays == null ? null : Arrays.copyOf(arrays, room);
    }
    lengths[size] = length;
    return size++;
  }

  /// Values added so far.
  public int size() {
    return size;
  }

  /// Bytes of value `at`; also when the view is closed.
  public int length(int at) {
    return lengths[at];
  }

  /// Value `at`, in place: read only.
  public ByteBuffer get(int at) {
    byte[] array = arrays == null ? null : arrays[at];
    return array != null
        ? ByteBuffer.wrap(array)
        : MEMORY.asSlice(addresses[at], lengths[at]).asByteBuffer();
  }
}
