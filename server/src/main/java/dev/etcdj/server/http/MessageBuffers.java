package dev.etcdj.server.http;

import io.grpc.Attributes;
import io.grpc.ServerCall;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.concurrent.FastThreadLocal;

/// Allocates for the connections of the client port. gRPC takes a buffer of exactly the size of a
/// message and its prefix; a sender that writes more messages behind the first asks here for the
/// room.
public final class MessageBuffers extends AbstractByteBufAllocator {
  static final MessageBuffers INSTANCE = new MessageBuffers(PooledByteBufAllocator.DEFAULT);

  private static final Attributes.Key<Boolean> IN_USE = Attributes.Key.create("message-buffers");

  /// Of connections that have this allocator.
  static final Attributes ATTRIBUTES = Attributes.newBuilder().set(IN_USE, true).build();

  private static final FastThreadLocal<int[]> ROOM =
      new FastThreadLocal<>() {
        @Override
        protected int[] initialValue() {
          return new int[1];
        }
      };

  private final ByteBufAllocator pool;

  private MessageBuffers(ByteBufAllocator pool) {
    super(true);
    this.pool = pool;
  }

  /// Whether `call` is on a connection whose buffers come from here.
  public static boolean serve(ServerCall<?, ?> call) {
    return call.getAttributes().get(IN_USE) != null;
  }

  /// Makes the buffer that is next taken on this thread hold at least `bytes`.
  public static void makeRoom(int bytes) {
    ROOM.get()[0] = bytes;
  }

  @Override
  public ByteBuf buffer(int initialCapacity, int maxCapacity) {
    int[] room = ROOM.get();
    int asked = room[0];
    if (asked <= initialCapacity) {
      return pool.buffer(initialCapacity, maxCapacity);
    }
    room[0] = 0;
    return pool.buffer(asked, Math.max(asked, maxCapacity));
  }

  /// Of everything else, without the detour.
  @Override
  public ByteBuf directBuffer(int initialCapacity, int maxCapacity) {
    return pool.directBuffer(initialCapacity, maxCapacity);
  }

  @Override
  protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
    return pool.heapBuffer(initialCapacity, maxCapacity);
  }

  @Override
  protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
    return pool.directBuffer(initialCapacity, maxCapacity);
  }

  @Override
  public boolean isDirectBufferPooled() {
    return pool.isDirectBufferPooled();
  }
}
