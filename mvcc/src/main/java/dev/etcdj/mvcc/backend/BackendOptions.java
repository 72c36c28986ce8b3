package dev.etcdj.mvcc.backend;

import dev.etcdj.mvcc.StorageException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/// How a backend batches, and whom it talks to.
///
/// @param batchOperations a batch with this many operations is frozen (LIM-22)
/// @param batchBytes and so is one with this many bytes of keys and values
/// @param batchIntervalNanos and so is one this old, counted from its first unit (LIM-22)
/// @param retryNanos pause before a commit that found no room is tried again
/// @param nanoClock monotonic
/// @param wake tells the runner of [Backend#doWork] that [Backend#nanosUntilDue] has shrunk; any
///     thread, must not block
/// @param onDurable told the durable position after each commit; on the thread of doWork
/// @param onFailure told once that the backend has failed for good; on the thread of doWork
public record BackendOptions(
    int batchOperations,
    long batchBytes,
    long batchIntervalNanos,
    long retryNanos,
    LongSupplier nanoClock,
    Runnable wake,
    LongConsumer onDurable,
    Consumer<StorageException> onFailure) {

  /// etcd's cadence: every 100 ms or 10 000 operations (LIM-22), or 64 MiB.
  public static BackendOptions of(LongSupplier nanoClock, Runnable wake) {
    return new BackendOptions(
        10_000,
        64 << 20,
        TimeUnit.MILLISECONDS.toNanos(100),
        TimeUnit.SECONDS.toNanos(1),
        nanoClock,
        wake,
        position -> {},
        failure -> {});
  }

  /// With another cadence.
  public BackendOptions withCadence(int operations, long intervalNanos) {
    return new BackendOptions(
        operations, batchBytes, intervalNanos, retryNanos, nanoClock, wake, onDurable, onFailure);
  }

  /// With other listeners.
  public BackendOptions withListeners(LongConsumer durable, Consumer<StorageException> failure) {
    return new BackendOptions(
        batchOperations,
        batchBytes,
        batchIntervalNanos,
        retryNanos,
        nanoClock,
        wake,
        durable,
        failure);
  }
}
