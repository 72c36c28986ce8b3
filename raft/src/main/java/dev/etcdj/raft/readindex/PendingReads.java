package dev.etcdj.raft.readindex;

import dev.etcdj.raft.log.Bytes;
import dev.etcdj.raft.message.Message;
import dev.etcdj.raft.quorum.AckedIndexes;
import dev.etcdj.raft.tracker.ProgressTracker;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.ObjLongConsumer;

/// Reads that wait until their leader knows it still led when they arrived (thesis §6.4, RAFT-72).
///
/// Every read gets the next number of a running counter; heartbeats carry the newest number as
/// 8 little-endian bytes. A follower that echoes n confirms every read up to n, so all that is
/// kept per member is the highest number it echoed. One object serves one reign: answers to
/// another reign's rounds carry another term and do not get here.
///
/// Bounded: the caller asks [#isFull] first.
public final class PendingReads {
  private static final VarHandle LONG_LE =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final int CAPACITY = 65_536;

  private record Read(long round, long index, Message.ReadIndex request) {}

  private final ArrayDeque<Read> waiting = new ArrayDeque<>();
  private final Map<Long, Long> echoed = new HashMap<>();
  private final AckedIndexes echoes = voter -> echoed.getOrDefault(voter, 0L);
  private long round;

  /// Whether no further read can be held.
  public boolean isFull() {
    return waiting.size() >= CAPACITY;
  }

  /// Holds `request`, which may be answered with `commitIndex` once the round is confirmed.
  public void add(Message.ReadIndex request, long commitIndex, long self) {
    round++;
    waiting.add(new Read(round, commitIndex, request));
    // A leader agrees with itself.
    echoed.put(self, round);
  }

  /// Context of the heartbeats that confirm everything that waits; empty when nothing does
  /// (RAFT-73).
  public Bytes context() {
    if (waiting.isEmpty()) {
      return Bytes.EMPTY;
    }
    byte[] context = new byte[Long.BYTES];
    LONG_LE.set(context, 0, round);
    return Bytes.wrap(context);
  }

  /// `from` echoed `context`. Reads that a quorum of `members` has confirmed by now are handed to
  /// `answer` with their index, oldest first.
  public void confirm(
      long from,
      Bytes context,
      ProgressTracker members,
      ObjLongConsumer<Message.ReadIndex> answer) {
    if (context.length() != Long.BYTES) {
      return;
    }
    long confirmed = (long) LONG_LE.get(context.unsafeArray(), 0);
    echoed.merge(from, confirmed, Math::max);
    long quorum = members.committed(echoes);
    while (!waiting.isEmpty() && waiting.peek().round() <= quorum) {
      Read read = waiting.remove();
      answer.accept(read.request(), read.index());
    }
  }
}
