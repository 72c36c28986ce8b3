package dev.etcdj.simulation.workload;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.etcdj.mvcc.Event;
import dev.etcdj.mvcc.watch.WatchMessage;
import dev.etcdj.mvcc.watch.WatchSpec;
import dev.etcdj.mvcc.watch.WatchStream;
import dev.etcdj.proto.mvccpb.KeyValue;
import dev.etcdj.simulation.check.Broken;
import dev.etcdj.simulation.check.Truth;
import dev.etcdj.simulation.world.Member;
import dev.etcdj.simulation.world.World;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/// A client that watches a key or all of them, from the past, from now, or from the future; that
/// cancels, goes to another member, reads slowly, and goes on where it was.
///
/// Every event must be the next one that the store's history holds for it: so none is missing,
/// none comes twice, and they come in order, whatever happened in between.
final class Watching extends Client {
  private static final String NEXT = "a watch delivers every event once, in order";
  private static final String WHOLE = "a watch response holds whole revisions";
  private static final String PROGRESS = "progress speaks of what was delivered";
  private static final String PREVIOUS = "an event's previous value is right";

  private final ByteString key;
  private final ByteString end;
  private final boolean prevKv;
  private final boolean progressNotify;
  private WatchStream stream;
  private Member member;
  private int life;
  private long pollDelay;

  /// Next revision to come, 0 while the first watch from now is not confirmed.
  private long next;

  /// Of the events of that revision these were delivered.
  private int delivered;

  private boolean polling;

  /// Revision the present watch was asked to begin at: the member may still stand there when
  /// nothing since concerned it.
  private long startedAt;

  Watching(World world, SplittableRandom random, int number) {
    super(world, random, number);
    boolean all = random.nextInt(3) > 0;
    this.key = all ? Names.firstKey() : Names.key(random.nextInt(world.scenario().keys()));
    this.end = all ? Names.behindLastKey() : ByteString.EMPTY;
    this.prevKv = random.nextBoolean();
    this.progressNotify = random.nextBoolean();
  }

  @Override
  void begin() {
    within(3_000 * MILLI, this::open);
    within(2_000 * MILLI, this::fidget);
  }

  private void open() {
    Member at = world.anyMember(random);
    if (!at.isServing()) {
      world.time().after(100 * MILLI, this::open);
      return;
    }
    member = at;
    life = at.life();
    pollDelay = random.nextInt(4) == 0 ? 200 * MILLI : MILLI / 2;
    int thisLife = life;
    stream =
        at.replica()
            .watches()
            .openStream(
                () -> {
                  if (member == at && life == thisLife) {
                    schedulePoll();
                  }
                });
    create(next == 0 ? firstStart() : next);
    if (next != 0) {
      world.stats().replayedWatches++;
    }
    schedulePoll();
  }

  private long firstStart() {
    long newest = world.checks().truth().lastRevision();
    return switch (random.nextInt(3)) {
      case 0 -> 0;
      case 1 -> Math.max(1, newest - random.nextInt(10));
      default -> newest + 1 + random.nextInt(4);
    };
  }

  private void create(long start) {
    startedAt = start;
    if (start != 0) {
      moveTo(start);
    }
    world.trace().note("watch", member.number(), number, start);
    stream.create(new WatchSpec(key, end, start, 0, prevKv, progressNotify, false, false, false));
  }

  private void moveTo(long revision) {
    if (next < revision) {
      next = revision;
      delivered = 0;
    }
  }

  private void schedulePoll() {
    if (!polling) {
      polling = true;
      world.time().after(1 + random.nextLong(pollDelay), this::poll);
    }
  }

  private boolean isOpen() {
    return stream != null && member.isUp() && member.life() == life;
  }

  private void poll() {
    polling = false;
    if (stream == null) {
      return;
    }
    if (!isOpen()) {
      lost();
      return;
    }
    for (int most = 1 + random.nextInt(4); most > 0; most--) {
      WatchMessage message = stream.poll();
      if (message == null) {
        return;
      }
      take(message);
      if (stream == null) {
        return;
      }
    }
    schedulePoll();
  }

  /// The member is gone: go on elsewhere.
  private void lost() {
    stream = null;
    within(300 * MILLI, this::open);
  }

  /// Now and then does what clients do.
  private void fidget() {
    if (stream != null && !isOpen()) {
      lost();
    } else if (stream != null && world.faultsAllowed() && stream.acceptsControl()) {
      switch (random.nextInt(6)) {
        case 0 -> {
          stream.close();
          lost();
        }
        case 1 -> {
          if (next != 0) {
            stream.cancel(watchId);
          }
        }
        case 2 -> stream.requestProgress();
        default -> {}
      }
    }
    within(2_000 * MILLI, this::fidget);
  }

  private long watchId;

  private void take(WatchMessage message) {
    switch (message) {
      case WatchMessage.Created(long id, long revision) -> {
        watchId = id;
        moveTo(next == 0 ? revision + 1 : next);
      }
      case WatchMessage.CreateFailed failed -> throw new Broken(NEXT, "refused: " + failed);
      case WatchMessage.Events events -> {
        long last = 0;
        for (byte[] wire : events.events()) {
          last = expect(wire, events.revision());
        }
        long upTo = last;
        Event more = coming();
        Broken.unless(
            more == null || more.revision().main() > upTo,
            WHOLE,
            () -> this + " got a part of revision " + upTo);
      }
      case WatchMessage.Cancelled _ -> create(next);
      case WatchMessage.Compacted(long _, long compacted) -> {
        Broken.unless(
            compacted <= world.checks().truth().compacted() && startedAt < compacted,
            "a watch ends when its past is compacted",
            () -> this + " at " + next + " told of " + compacted);
        moveTo(compacted);
        stream.cancel(watchId);
        stream.close();
        lost();
      }
      case WatchMessage.Progress(long _, long revision) -> {
        Event more = coming();
        Broken.unless(
            more == null || more.revision().main() > revision,
            PROGRESS,
            () -> this + " told of " + revision + " before " + more);
      }
    }
  }

  /// The next event in the store's history that this watch is to see, null for none yet.
  private Event coming() {
    Truth truth = world.checks().truth();
    if (next < 2) {
      moveTo(2);
    }
    while (next <= truth.lastRevision()) {
      var events = truth.commit(next).events();
      while (delivered < events.size()) {
        Event event = events.get(delivered);
        if (concerns(event.key())) {
          return event;
        }
        delivered++;
      }
      next++;
      delivered = 0;
    }
    return null;
  }

  private boolean concerns(ByteString other) {
    var order = ByteString.unsignedLexicographicalComparator();
    return end.isEmpty()
        ? key.equals(other)
        : order.compare(key, other) <= 0 && order.compare(other, end) < 0;
  }

  /// @return its revision
  private long expect(byte[] wire, long headerRevision) {
    dev.etcdj.proto.mvccpb.Event got;
    try {
      got = dev.etcdj.proto.mvccpb.Event.parseFrom(wire);
    } catch (InvalidProtocolBufferException e) {
      throw new Broken(NEXT, e);
    }
    Event expected = coming();
    KeyValue kv = got.getKv();
    Supplier<String> what = () -> this + " got " + describe(got) + " for " + describe(expected);
    Broken.unless(
        expected != null
            && expected.revision().main() == kv.getModRevision()
            && expected.key().equals(kv.getKey())
            && expected.delete() == (got.getType() == dev.etcdj.proto.mvccpb.Event.EventType.DELETE)
            && (expected.delete() || Arrays.equals(expected.keyValue(), kv.toByteArray())),
        NEXT,
        what);
    Broken.unless(
        headerRevision >= kv.getModRevision(), NEXT, () -> what.get() + " under " + headerRevision);
    previous(got);
    world.stats().watchEvents++;
    delivered++;
    return kv.getModRevision();
  }

  private void previous(dev.etcdj.proto.mvccpb.Event got) {
    Truth truth = world.checks().truth();
    long before = got.getKv().getModRevision() - 1;
    KeyValue expected = truth.valueAt(got.getKv().getKey(), before);
    if (got.hasPrevKv()) {
      Broken.unless(prevKv && got.getPrevKv().equals(expected), PREVIOUS, () -> describe(got));
    } else if (prevKv) {
      Broken.unless(
          expected == null || before < truth.compacted(),
          PREVIOUS,
          () -> this + " got none with " + describe(got));
    }
  }

  private static String describe(dev.etcdj.proto.mvccpb.Event event) {
    return event.getType()
        + " "
        + event.getKv().getKey().toStringUtf8()
        + " at "
        + event.getKv().getModRevision();
  }

  private static String describe(Event event) {
    return event == null
        ? "nothing"
        : (event.delete() ? "DELETE " : "PUT ")
            + event.key().toStringUtf8()
            + " at "
            + event.revision().main();
  }

  /// Whether it has seen all that it is to see.
  boolean isCaughtUp() {
    return next != 0 && isOpen() && coming() == null;
  }

  @Override
  public String toString() {
    return "watch " + number + " of " + key.toStringUtf8() + " next " + next + "." + delivered;
  }
}
