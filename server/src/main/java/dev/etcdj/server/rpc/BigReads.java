package dev.etcdj.server.rpc;

import dev.etcdj.proto.status.EtcdException;
import dev.etcdj.proto.status.RpcError;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/// Runs reads of large ranges one after the other, off the event loops, and keeps what they hold
/// in memory in bounds. Connections take turns, so one that asks for much does not make the others
/// wait for all of it.
///
/// An answer is written into the transport's buffers on the reading thread, too: no event loop
/// stands still for it, and what the read holds of the store is free again before the client has
/// received a byte.
///
/// At the limits: beyond `maxWaiting` a read is refused with "too many requests"; while answers of
/// `maxHeldBytes` or more are still on their way to their clients, the next read waits. So the most
/// that is held is `maxHeldBytes` and one answer.
public final class BigReads {
  /// @param maxHeldBytes answers made and not yet sent, above which no further read begins
  public record Limits(int maxWaiting, long maxHeldBytes) {}

  /// Reads, and hands the answer to `send`, which has written it when it returns. May block in the
  /// store; an [EtcdException] thrown before there is an answer is the answer.
  interface Read {
    void run(Consumer<WireMessage> send);
  }

  private final Limits limits;
  private final Executor executor;

  // All guarded by this. Each connection with waiting reads is in `turns` once.
  private final Map<Object, Queue<Job>> byConnection = new HashMap<>();
  private final Queue<Object> turns = new ArrayDeque<>();
  private int waiting;
  private long heldBytes;
  private boolean running;

  /// @param executor runs one task of ours at a time; may block in the store
  public BigReads(Limits limits, Executor executor) {
    this.limits = limits;
    this.executor = executor;
  }

  private static final class Job {
    final UnaryCall<?> call;
    final Read read;

    // Guarded by the reads.
    long heldBytes;
    boolean ended;

    Job(UnaryCall<?> call, Read read) {
      this.call = call;
      this.read = read;
    }
  }

  /// Answers `call` with what `read` makes, when its turn comes. From here on nobody else answers
  /// it. Event loops.
  void submit(UnaryCall<?> call, Read read) {
    Object connection = call.connection();
    Job job = new Job(call, read);
    synchronized (this) {
      if (waiting >= limits.maxWaiting()) {
        throw RpcError.REQUEST_TOO_MANY_REQUESTS.exception();
      }
      waiting++;
      Queue<Job> queue = byConnection.get(connection);
      if (queue == null) {
        queue = new ArrayDeque<>();
        byConnection.put(connection, queue);
        turns.add(connection);
      }
      queue.add(job);
    }
    call.onClose(() -> ended(job));
    next();
  }

  private void next() {
    Job job;
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

  private Job take(Object connection) {
    Queue<Job> queue = byConnection.get(connection);
    Job job = queue == null ? null : queue.poll();
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

  private void run(Job job) {
    UnaryCall<?> call = job.call;
    try {
      if (hold(job, 0)) {
        job.read.run(answer -> send(job, answer));
      }
    } catch (EtcdException e) {
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

  private void send(Job job, WireMessage answer) {
    if (hold(job, answer.serializedSize())) {
      job.call.replyHere(answer);
    }
  }

  /// Counts `bytes` until the call has ended.
  ///
  /// @return whether it has not
  private synchronized boolean hold(Job job, long bytes) {
    if (!job.ended) {
      job.heldBytes += bytes;
      heldBytes += bytes;
    }
    return !job.ended;
  }

  /// The last byte was sent, or the client is gone. The call's loop.
  private void ended(Job job) {
    synchronized (this) {
      job.ended = true;
      heldBytes -= job.heldBytes;
    }
    next();
  }

  /// Reads that wait for their turn, for metrics.
  public synchronized int waiting() {
    return waiting;
  }
}
