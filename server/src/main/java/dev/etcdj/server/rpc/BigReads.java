package dev.etcdj.server.rpc;

import dev.etcdj.proto.status.RpcError;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/// Runs reads of large ranges one after the other, off the event loops, and keeps what they hold
/// in memory in bounds. Connections take turns, so one that asks for much does not make the others
/// wait for all of it.
///
/// At the limits: beyond `maxWaiting` a read is refused with "too many requests"; while answers of
/// `maxHeldBytes` or more are still on their way to their clients, the next read waits. So the most
/// that is held is `maxHeldBytes` and one answer.
public final class BigReads {
  /// @param maxHeldBytes answers made and not yet sent, above which no further read begins
  public record Limits(int maxWaiting, long maxHeldBytes) {}

  private final Limits limits;
  private final Executor executor;

  // All guarded by this. Each connection with waiting reads is in `turns` once.
  private final Map<Object, Queue<Job<?>>> byConnection = new HashMap<>();
  private final Queue<Object> turns = new ArrayDeque<>();
  private int waiting;
  private long heldBytes;
  private boolean running;

  /// @param executor runs one task of ours at a time; may block in the store
  public BigReads(Limits limits, Executor executor) {
    this.limits = limits;
    this.executor = executor;
  }

  private record Job<Q extends com.google.protobuf.MessageLite>(
      UnaryCall<Q> call, Supplier<WireMessage> read) {}

  /// Answers `call` with what `read` makes, when its turn comes. Event loops.
  <Q extends com.google.protobuf.MessageLite> void submit(
      UnaryCall<Q> call, Supplier<WireMessage> read) {
    Object connection = call.connection();
    synchronized (this) {
      if (waiting >= limits.maxWaiting()) {
        throw RpcError.REQUEST_TOO_MANY_REQUESTS.exception();
      }
      waiting++;
      Queue<Job<?>> queue = byConnection.get(connection);
      if (queue == null) {
        queue = new ArrayDeque<>();
        byConnection.put(connection, queue);
        turns.add(connection);
      }
      queue.add(new Job<>(call, read));
    }
    next();
  }

  private void next() {
    Job<?> job;
    synchronized (this) {
      if (running || heldBytes >= limits.maxHeldBytes()) {
        return;
      }
      Object connection = turns.poll();
      if (connection == null) {
        return;
      }
      job = take(connection);
      running = true;
    }
    executor.execute(() -> run(job));
  }

  private Job<?> take(Object connection) {
    Queue<Job<?>> queue = byConnection.get(connection);
    Job<?> job = queue == null ? null : queue.poll();
    if (queue == null || job == null) {
      throw new IllegalStateException("a turn without a read");
    }
    if (queue.isEmpty()) {
      byConnection.remove(connection);
    } else {
      turns.add(connection);
    }
    waiting--;
    return job;
  }

  private <Q extends com.google.protobuf.MessageLite> void run(Job<Q> job) {
    UnaryCall<Q> call = job.call();
    try {
      if (!call.isClosed()) {
        WireMessage answer = job.read().get();
        hold(answer.serializedSize());
        call.loop().enqueue(() -> send(call, answer));
      }
    } catch (dev.etcdj.proto.status.EtcdException e) {
      call.failed(e);
    } catch (RuntimeException e) {
      call.loop().enqueue(() -> call.guarded(() -> rethrow(e)));
    } finally {
      synchronized (this) {
        running = false;
      }
      next();
    }
  }

  private static void rethrow(RuntimeException e) {
    throw e;
  }

  private <Q extends com.google.protobuf.MessageLite> void send(
      UnaryCall<Q> call, WireMessage answer) {
    long bytes = answer.serializedSize();
    if (call.isClosed()) {
      release(bytes);
    } else {
      call.onClose(() -> release(bytes));
      call.reply(answer);
    }
  }

  private synchronized void hold(long bytes) {
    heldBytes += bytes;
  }

  private void release(long bytes) {
    synchronized (this) {
      heldBytes -= bytes;
    }
    next();
  }

  /// Reads that wait for their turn, for metrics.
  public synchronized int waiting() {
    return waiting;
  }
}
