package dev.etcdj.mvcc.backend;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/// Readers not in use, at most [#SLOTS]; more are ended. Threads start their search at places of
/// their own, so that they seldom meet.
final class ReaderPool {
  private static final int SLOTS = 64;

  private final AtomicReferenceArray<@Nullable LmdbReader> slots =
      new AtomicReferenceArray<>(SLOTS);

  /// A reader, idle or on some snapshot, or null.
  @Nullable LmdbReader take() {
    int start = start();
    for (int i = 0; i < SLOTS; i++) {
      int at = (start + i) % SLOTS;
      if (slots.getPlain(at) != null) {
        LmdbReader reader = slots.getAndSet(at, null);
        if (reader != null) {
          return reader;
        }
      }
    }
    return null;
  }

  /// Takes a reader that is no longer used.
  void give(LmdbReader reader) {
    int start = start();
    for (int i = 0; i < SLOTS; i++) {
      int at = (start + i) % SLOTS;
      if (slots.getPlain(at) == null && slots.compareAndSet(at, null, reader)) {
        return;
      }
    }
    reader.end();
  }

  /// Makes readers give up snapshots older than `id`.
  void idleBelow(long id) {
    for (int at = 0; at < SLOTS; at++) {
      LmdbReader reader = slots.getAndSet(at, null);
      if (reader != null) {
        if (reader.id() < id) {
          reader.idle();
        }
        give(reader);
      }
    }
  }

  /// Ends all readers in the pool.
  void end() {
    for (LmdbReader reader = take(); reader != null; reader = take()) {
      reader.end();
    }
  }

  private static int start() {
    return (int) Thread.currentThread().threadId() & (SLOTS - 1);
  }
}
