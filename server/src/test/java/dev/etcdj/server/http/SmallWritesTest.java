package dev.etcdj.server.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// Guarantee: bytes arrive in order, whole and once, and a promise speaks of the bytes it was made
/// for. Method: an embedded channel.
final class SmallWritesTest {
  private final EmbeddedChannel channel = new EmbeddedChannel(new SmallWrites());

  @Test
  void whatIsSmallLeavesInOneBuffer() {
    ChannelFuture first = channel.write(bytes(1, 9));
    ChannelFuture second = channel.write(bytes(2, 300));
    assertNull(channel.readOutbound());
    assertFalse(first.isDone());

    channel.flush();

    ByteBuf out = channel.readOutbound();
    assertEquals(309, out.readableBytes());
    assertEquals(1, out.getByte(8));
    assertEquals(2, out.getByte(9));
    out.release();
    assertNull(channel.readOutbound());
    assertTrue(first.isSuccess() && second.isSuccess());
  }

  @Test
  void whatIsLargePassesInItsPlace() {
    ByteBuf large = bytes(2, SmallWrites.SMALL_BYTES + 1);
    channel.write(bytes(1, 9));
    channel.write(large);
    channel.write(bytes(3, 9));
    channel.flush();

    ByteBuf before = channel.readOutbound();
    assertEquals(1, before.getByte(0));
    assertSame(large, channel.readOutbound());
    ByteBuf after = channel.readOutbound();
    assertEquals(3, after.getByte(0));
    List.of(before, large, after).forEach(ByteBuf::release);
  }

  @Test
  void anyMixKeepsItsBytes() throws IOException {
    long seed = 7;
    Random random = new Random(seed);
    ByteArrayOutputStream written = new ByteArrayOutputStream();
    List<ChannelFuture> futures = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      byte[] some = new byte[random.nextInt(random.nextInt(10) == 0 ? 20_000 : 600)];
      random.nextBytes(some);
      written.write(some);
      futures.add(channel.write(Unpooled.wrappedBuffer(some)));
      if (random.nextInt(50) == 0) {
        channel.flush();
      }
    }
    channel.flush();

    ByteArrayOutputStream read = new ByteArrayOutputStream();
    for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
      read.write(ByteBufUtil.getBytes(out));
      out.release();
    }
    assertEquals(
        Unpooled.wrappedBuffer(written.toByteArray()),
        Unpooled.wrappedBuffer(read.toByteArray()),
        () -> "seed " + seed);
    assertTrue(futures.stream().allMatch(ChannelFuture::isSuccess));
  }

  @Test
  void aFailedWriteFailsAllItCarried() {
    IOException broken = new IOException("broken");
    EmbeddedChannel failing =
        new EmbeddedChannel(
            new ChannelOutboundHandlerAdapter() {
              @Override
              public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
                ReferenceCountUtil.release(message);
                promise.setFailure(broken);
              }
            },
            new SmallWrites());
    ChannelFuture first = failing.write(bytes(1, 9));
    ChannelFuture second = failing.write(bytes(1, 9));
    failing.flush();
    assertSame(broken, first.cause());
    assertSame(broken, second.cause());
  }

  @Test
  void closingSendsWhatWasWritten() {
    ByteBuf small = bytes(1, 9);
    ChannelFuture written = channel.write(small);
    channel.close();
    assertEquals(0, small.refCnt());
    assertTrue(written.isDone());
  }

  private static ByteBuf bytes(int value, int count) {
    byte[] all = new byte[count];
    java.util.Arrays.fill(all, (byte) value);
    return Unpooled.wrappedBuffer(all);
  }
}
