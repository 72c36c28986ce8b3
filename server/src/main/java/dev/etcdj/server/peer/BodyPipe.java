package dev.etcdj.server.peer;

import dev.etcdj.server.http.Route;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.LastHttpContent;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// Carries a request's body from the event loop to a thread that may block. Above
/// [#MAX_HELD_BYTES] the connection is not read until the reader has caught up.
final class BodyPipe extends InputStream implements Route.Body {
  static final int MAX_HELD_BYTES = 1 << 20;

  private final Route.Exchange exchange;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  // Guarded by lock.
  private final Deque<ByteBuf> pieces = new ArrayDeque<>();
  private int held;
  private boolean paused;
  private boolean ended;
  private boolean aborted;
  private boolean closed;

  BodyPipe(Route.Exchange exchange) {
    this.exchange = exchange;
  }

  @Override
  public void content(HttpContent piece) {
    boolean more;
    lock.lock();
    try {
      if (piece.content().isReadable() && !closed) {
        pieces.add(piece.content().retain());
        held += piece.content().readableBytes();
      }
      ended = piece instanceof LastHttpContent;
      paused = !ended && held >= MAX_HELD_BYTES;
      more = !ended && !paused;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    if (more) {
      exchange.read();
    }
  }

  @Override
  public void aborted() {
    lock.lock();
    try {
      aborted = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  /// @throws EOFException when the sender went away before the end
  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    int count;
    boolean resume;
    lock.lock();
    try {
      while (pieces.isEmpty() && !ended && !aborted) {
        changed.await();
      }
      ByteBuf first = pieces.peek();
      if (first == null) {
        if (ended) {
          return -1;
        }
        throw new EOFException("the sender went away before the end");
      }
      count = Math.min(length, first.readableBytes());
      first.readBytes(bytes, offset, count);
      held -= count;
      if (!first.isReadable()) {
        pieces.remove();
        first.release();
      }
      resume = paused && held < MAX_HELD_BYTES / 2;
      paused &= !resume;
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while receiving");
    } finally {
      lock.unlock();
    }
    if (resume) {
      exchange.read();
    }
    return count;
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      pieces.forEach(ByteBuf::release);
      pieces.clear();
      held = 0;
    } finally {
      lock.unlock();
    }
  }
}
