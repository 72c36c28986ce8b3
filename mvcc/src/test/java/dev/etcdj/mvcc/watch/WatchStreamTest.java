package dev.etcdj.mvcc.watch;

import static dev.etcdj.mvcc.watch.Rig.everything;
import static dev.etcdj.mvcc.watch.Rig.key;
import static dev.etcdj.mvcc.watch.Rig.range;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;

/// Each rule of a single stream, one at a time, on one thread. Expectations: the watch rules by
/// number. An event reads `key=value#modRevision<previous#modRevision>`, a delete `-key#…`.
@NullUnmarked
class WatchStreamTest {
  private final Rig rig = new Rig();
  private final Rig.Client client = rig.client();

  private void create(Rig.Spec spec) {
    client.stream.create(spec.spec());
  }

  private void expect(String... messages) {
    assertEquals(List.of(messages), client.readAll());
  }

  // Ids and refusals

  @Test
  void idsAreChosenFromZeroSkippingThoseInUse() { // WATCH-20, 21, 22, 25
    create(key("a"));
    create(key("a").id(1));
    create(key("a"));
    create(key("a").id(-1));
    client.stream.cancel(2);
    create(key("a"));
    expect(
        "created 0 @1",
        "created 1 @1",
        "created 2 @1",
        "created -1 @1",
        "cancelled 2 @1",
        "created 3 @1");
  }

  @Test
  void anIdInUseIsRefusedAndTheWatcherStays() { // WATCH-11, 23
    create(key("a").id(7));
    create(key("b").id(7));
    rig.write("a=1");
    expect(
        "created 7 @1",
        "failed -1 @1 mvcc: duplicate watch ID provided on the WatchStream",
        "events 7 @2 a=1#2");
  }

  @Test
  void anIdIsFreeAfterCancelAndLateEventsAreDropped() { // WATCH-24, 62
    create(key("a").id(7));
    rig.write("a=1");
    client.stream.cancel(7);
    create(key("a").id(7));
    rig.write("a=2");
    expect("created 7 @1", "cancelled 7 @2", "created 7 @2", "events 7 @3 a=2#3");
  }

  @Test
  void negativeStartIsRefusedBeforeAnythingElse() { // WATCH-10, 12
    create(range("b", "a").from(-1));
    expect("failed -1 @1 etcdserver: mvcc: required revision has been compacted");
  }

  @Test
  void emptyRangeIsRefusedBeforeTheId() { // WATCH-10, 16
    create(key("a").id(7));
    create(range("b", "b").id(7));
    create(range("b", "a"));
    expect(
        "created 7 @1",
        "failed -1 @1 mvcc: watcher range is empty",
        "failed -1 @1 mvcc: watcher range is empty");
  }

  @Test
  void refusalsFromElsewhereKeepTheirPlace() { // WATCH-2, 13
    create(key("a"));
    client.stream.refuse("rpc error: code = PermissionDenied desc = etcdserver: permission denied");
    create(key("b"));
    expect(
        "created 0 @1",
        "failed -1 @1 rpc error: code = PermissionDenied desc = etcdserver: permission denied",
        "created 1 @1");
  }

  @Test
  void unknownIdsAreNotAnswered() { // WATCH-61
    client.stream.cancel(5);
    expect();
  }

  // Ranges

  @Test
  void rangesAreOneKeyHalfOpenOrOpenEnded() { // WATCH-17
    create(key("b"));
    create(range("b", "d"));
    create(range("c", "\0"));
    create(everything());
    client.readAll();
    rig.write("a=1");
    expect("events 3 @2 a=1#2");
    rig.write("b=1");
    expect("events 0 @3 b=1#3", "events 3 @3 b=1#3", "events 1 @3 b=1#3");
    rig.write("d=1");
    expect("events 3 @4 d=1#4", "events 2 @4 d=1#4");
  }

  // Start revisions

  @Test
  void createdComesFirstAndEventsOnlyFromAfterIt() { // WATCH-30, 31, 32
    rig.write("a=1");
    create(key("a"));
    rig.write("a=2");
    expect("created 0 @2", "events 0 @3 a=2#3");
  }

  @Test
  void historyFromTheStartThenLive() { // WATCH-32, 35, 46
    rig.write("a=1");
    rig.write("b=1");
    rig.write("a=2");
    create(key("a").from(1));
    create(key("a").from(3));
    expect(
        "created 0 @1".replace("@1", "@4"),
        "created 1 @4",
        "events 0 @4 a=1#2 a=2#4",
        "events 1 @4 a=2#4");
    rig.write("a=3");
    assertEquals(2, client.readAll().size());
  }

  @Test
  void aFutureStartHidesWhatComesBefore() { // WATCH-32
    create(key("a").from(4));
    rig.write("a=1");
    rig.write("a=2");
    expect("created 0 @1");
    rig.write("a=3");
    expect("events 0 @4 a=3#4");
  }

  @Test
  void historyBeyondTheRingIsReadFromTheStore() { // WATCH-32, 46
    Rig small = new Rig(Rig.options(4, 2 << 20, 10), new ListHistory());
    for (int i = 2; i <= 30; i++) {
      small.write("a=" + i);
    }
    var reader = small.client();
    reader.stream.create(key("a").from(2).spec());
    List<String> got = reader.readAll();
    assertEquals("created 0 @30", got.get(0));
    assertTrue(got.get(1).startsWith("events 0 @30 a=2#2 a=3#3"), got.get(1));
    assertTrue(got.get(1).endsWith("a=11#11"), got.get(1)); // ten revisions
    assertTrue(got.getLast().endsWith("a=30#30"), got.getLast());
    small.write("a=31");
    assertEquals(List.of("events 0 @31 a=31#31"), reader.readAll());
  }

  @Test
  void sameSuffixFromTheStartAndFromNow() { // WATCH-111
    create(key("a"));
    for (int i = 0; i < 5; i++) {
      rig.write("a=" + i);
    }
    create(key("a").from(1));
    List<String> got = client.readAll();
    String joined = String.join(" ", got.stream().filter(m -> m.startsWith("events 0")).toList());
    assertEquals("a=0#2 a=1#3 a=2#4 a=3#5 a=4#6", joined.replaceAll("events 0 @\\d+ ", ""));
    assertTrue(got.contains("events 1 @6 a=0#2 a=1#3 a=2#4 a=3#5 a=4#6"), got::toString);
  }

  // Compaction

  @Test
  void startBelowTheCompactedRevisionIsCreatedThenEnded() { // WATCH-24, 32, 33, 63
    for (int i = 2; i <= 6; i++) {
      rig.write("a=" + i);
    }
    rig.store.compact(5);
    create(key("a").from(4));
    create(key("a").from(5));
    expect("created 0 @6", "created 1 @6", "compacted 0 at 5", "events 1 @6 a=5#5 a=6#6");
    create(key("a").id(0));
    client.stream.cancel(0);
    client.stream.cancel(0);
    rig.write("a=7");
    expect("created 2 @6", "cancelled 0 @6", "events 1 @7 a=7#7", "events 2 @7 a=7#7");
  }

  @Test
  void compactionEndsAWatcherThatIsBehindOnceOnly() { // WATCH-34, 36, 86
    Rig small = new Rig(Rig.options(4, 2 << 20, 10), new ListHistory());
    for (int i = 2; i <= 40; i++) {
      small.write("a=" + i);
    }
    var reader = small.client();
    reader.stream.create(key("a").from(2).spec());
    assertEquals(List.of("created 0 @40"), reader.read());
    small.hub.doWork();
    small.store.compact(35);
    assertEquals(List.of("compacted 0 at 35"), reader.readAll());
    small.write("a=41");
    assertEquals(List.of(), reader.readAll());
  }

  @Test
  void compactionWhileHistoryIsReadNeverLeavesAGap() { // WATCH-34, 110
    ListHistory store = new ListHistory();
    Rig small = new Rig(Rig.options(4, 2 << 20, 10), store);
    for (int i = 2; i <= 40; i++) {
      small.write("a=" + i);
    }
    var reader = small.client();
    reader.stream.create(key("a").from(2).spec());
    reader.read();
    store.compact(30);
    store.purge();
    assertEquals(List.of("compacted 0 at 30"), reader.readAll());
  }

  @Test
  void aSyncedWatcherDoesNotMindCompaction() { // WATCH-34
    create(key("a"));
    rig.write("a=1");
    rig.write("b=1");
    rig.store.compact(3);
    rig.store.purge();
    expect("created 0 @1", "events 0 @2 a=1#2");
  }

  // Events

  @Test
  void oneResponseForEachRevision() { // WATCH-41, 44, 45, 51
    create(range("a", "z"));
    create(key("b"));
    client.readAll();
    rig.write("a=1", "b=2", "zz=1");
    rig.write("-a", "-b");
    expect(
        "events 0 @2 a=1#2 b=2#2",
        "events 1 @2 b=2#2",
        "events 0 @3 -a#3 -b#3",
        "events 1 @3 -b#3");
  }

  @Test
  void eventsHaveTheStoredFields() { // WATCH-40
    create(key("a"));
    client.read();
    rig.write("a=1");
    var put = (WatchMessage.Events) client.stream.poll();
    assertEquals(2, Rig.parse(put.events().get(0)).getKv().getCreateRevision());
    assertEquals(1, Rig.parse(put.events().get(0)).getKv().getVersion());
    rig.write("-a");
    var delete = (WatchMessage.Events) client.stream.poll();
    var kv = Rig.parse(delete.events().get(0)).getKv();
    assertEquals(3, kv.getModRevision());
    assertEquals(0, kv.getCreateRevision());
    // PUT is the default and not written out; DELETE is.
    assertEquals(0x12, put.events().get(0)[0]);
    assertEquals(
        List.of(8, 1, 0x12),
        List.of(
            (int) delete.events().get(0)[0],
            (int) delete.events().get(0)[1],
            (int) delete.events().get(0)[2]));
  }

  @Test
  void filtersDropAndSendNothingWhenNothingIsLeft() { // WATCH-55, 56
    create(key("a").noPut(true));
    create(key("a").noDelete(true));
    create(key("a").noPut(true).noDelete(true));
    rig.write("a=1");
    rig.write("-a");
    create(key("a").from(1).noPut(true));
    expect(
        "created 0 @1",
        "created 1 @1",
        "created 2 @1",
        "created 3 @3",
        "events 1 @2 a=1#2",
        "events 0 @3 -a#3",
        "events 3 @3 -a#3");
  }

  @Test
  void previousValuesAreTheStateOneRevisionBefore() { // WATCH-57, 58, 59
    create(key("a").prevKv(true));
    create(key("a").prevKv(true));
    client.readAll();
    rig.write("a=1");
    rig.write("a=2");
    rig.write("-a", "a=3");
    expect(
        "events 0 @2 a=1#2",
        "events 1 @2 a=1#2",
        "events 0 @3 a=2#3<1#2>",
        "events 1 @3 a=2#3<1#2>",
        "events 0 @4 -a#4<2#3> a=3#4",
        "events 1 @4 -a#4<2#3> a=3#4");
    assertEquals(2, rig.store.lookups); // once per event, whatever the number of watchers
  }

  @Test
  void previousValuesOfHistoryUnlessCompacted() { // WATCH-57, 58
    for (int i = 2; i <= 6; i++) {
      rig.write("a=" + i);
    }
    rig.store.compact(4);
    rig.store.purge();
    create(key("a").from(4).prevKv(true));
    create(key("a").from(4));
    expect(
        "created 0 @6",
        "created 1 @6",
        "events 0 @6 a=4#4 a=5#5<4#4> a=6#6<5#5>",
        "events 1 @6 a=4#4 a=5#5 a=6#6");
  }

  // Cancel

  @Test
  void nothingComesAfterTheCancelAnswer() { // WATCH-60, 62
    create(key("a"));
    client.readAll();
    rig.write("a=1");
    rig.write("a=2");
    assertEquals("events 0 @2 a=1#2", Rig.text(client.stream.poll()));
    client.stream.cancel(0);
    rig.write("a=3");
    expect("cancelled 0 @3");
  }

  // Progress

  @Test
  void askedProgressAnswersWhenAllAreInStep() { // WATCH-70, 74, 76, 77
    client.stream.requestProgress();
    expect(); // no watcher
    create(key("a"));
    create(key("b"));
    client.readAll();
    rig.write("a=1");
    client.stream.requestProgress();
    rig.write("b=1");
    client.stream.requestProgress();
    expect("events 0 @2 a=1#2", "progress -1 @2", "events 1 @3 b=1#3", "progress -1 @3");
  }

  @Test
  void askedProgressIsNotAnsweredForFutureBehindOrEnded() { // WATCH-73, 74, 75
    create(key("a").from(3));
    client.readAll();
    client.stream.requestProgress();
    expect();
    rig.write("b=1");
    rig.write("b=2");
    client.stream.requestProgress();
    expect("progress -1 @3");
    rig.store.compact(3);
    create(key("a").from(1));
    client.stream.requestProgress();
    expect("created 1 @3", "compacted 1 at 3");
    client.stream.requestProgress();
    expect();
    client.stream.cancel(1);
    client.stream.requestProgress();
    expect("cancelled 1 @3", "progress -1 @3");
  }

  @Test
  void aWatcherThatComesWithAPastMakesOpenProgressUntrue() { // WATCH-70, 74
    rig.write("a=1");
    create(key("b"));
    client.readAll();
    client.stream.requestProgress();
    create(key("a").from(1));
    expect("created 1 @2", "events 1 @2 a=1#2");
  }

  @Test
  void periodicProgressForQuietSyncedWatchers() { // WATCH-71, 72, 73
    create(key("a").progress());
    create(key("b").progress());
    create(key("c"));
    create(key("d").progress().from(9));
    client.readAll();
    rig.nowNanos = 599 * Rig.SECOND;
    expect();
    rig.write("a=1");
    expect("events 0 @2 a=1#2");
    assertEquals(Rig.SECOND, rig.hub.nanosUntilDue());
    rig.nowNanos = 600 * Rig.SECOND;
    expect("progress 1 @2");
    rig.nowNanos = 1200 * Rig.SECOND;
    expect("progress 0 @2", "progress 1 @2");
  }

  @Test
  void aNewWatcherIsNotNotifiedBeforeTheNextTick() { // WATCH-71
    create(key("a").progress());
    expect("created 0 @1");
    create(key("b").progress());
    expect("created 1 @1");
    client.stream.cancel(0);
    expect("cancelled 0 @1");
    create(key("c").progress());
    expect("created 2 @1");
    rig.nowNanos = 600 * Rig.SECOND;
    expect("progress 1 @1", "progress 2 @1");
  }

  @Test
  void theIntervalHasARandomTenthPerStream() { // WATCH-71
    rig.jitter = 1;
    var late = rig.client();
    late.stream.create(key("a").progress().spec());
    late.readAll();
    long due = rig.hub.nanosUntilDue();
    assertTrue(due > 659 * Rig.SECOND && due <= 660 * Rig.SECOND, () -> "due in " + due);
    late.stream.close();
    assertEquals(Long.MAX_VALUE, rig.hub.nanosUntilDue());
  }

  @Test
  void aStalledStreamTicksOnce() { // WATCH-73
    create(key("a").progress());
    client.readAll();
    rig.nowNanos = 600 * Rig.SECOND;
    assertTrue(rig.hub.doWork());
    for (int i = 2; i < 100; i++) {
      rig.nowNanos = 600 * i * Rig.SECOND;
      assertFalse(rig.hub.doWork());
    }
    expect("progress 0 @1");
  }

  // Slow clients

  @Test
  void wakesOncePerPoll() { // WATCH-81
    create(key("a"));
    create(range("a", "b"));
    client.read();
    assertEquals(0, client.wakes);
    for (int i = 0; i < 50; i++) {
      rig.write("a=" + i);
    }
    assertEquals(1, client.wakes);
    rig.write("z=1");
    assertEquals(100, client.read().size());
    rig.write("z=2");
    assertEquals(1, client.wakes);
    rig.write("a=x");
    assertEquals(2, client.wakes);
  }

  @Test
  void aStalledClientLosesNothingAndIsLeftAlone() { // WATCH-84
    create(key("a"));
    client.read();
    for (int i = 0; i < 5000; i++) {
      rig.write("a=" + i);
    }
    assertEquals(1, client.wakes);
    assertFalse(rig.hub.doWork());
    assertEquals(Long.MAX_VALUE, rig.hub.nanosUntilDue());
    assertEquals(1, rig.hub.unsyncedCount());
    List<String> got = client.readAll();
    String all = String.join(" ", got).replaceAll("events 0 @\\d+ ", "");
    StringBuilder expected = new StringBuilder();
    for (int i = 0; i < 5000; i++) {
      expected.append(i == 0 ? "" : " ").append("a=").append(i).append('#').append(i + 2);
    }
    assertEquals(expected.toString(), all);
    assertEquals(0, rig.hub.unsyncedCount());
  }

  @Test
  void aStalledClientBehindTheCompactedRevisionIsEnded() { // WATCH-34, 84
    create(key("a"));
    client.read();
    for (int i = 0; i < 5000; i++) {
      rig.write("a=" + i);
    }
    rig.store.compact(3000);
    rig.store.purge();
    expect("compacted 0 at 3000");
  }

  @Test
  void oneReadOfHistoryServesAll() { // WATCH-83
    var options = new WatchHub.Options(64 << 20, 100, 2 << 20, Rig.SECOND, 1000);
    Rig small = new Rig(options, new ListHistory());
    for (int i = 0; i < 20_000; i++) {
      small.write("a=" + i);
    }
    List<Rig.Client> clients = new java.util.ArrayList<>();
    for (int i = 0; i < 50; i++) {
      var each = small.client();
      each.stream.create(key("a").from(2 + i).spec());
      clients.add(each);
    }
    int[] events = new int[50];
    boolean worked = true;
    while (worked) {
      for (int i = 0; i < 50; i++) {
        for (var m = clients.get(i).stream.poll(); m != null; m = clients.get(i).stream.poll()) {
          events[i] += m instanceof WatchMessage.Events e ? e.events().size() : 0;
        }
      }
      worked = small.hub.doWork();
    }
    for (int i = 0; i < 50; i++) {
      assertEquals(20_000 - i, events[i]);
    }
    assertTrue(small.store.scans <= 25, () -> small.store.scans + " scans");
  }

  // Snapshots

  @Test
  void anotherStoreIsFollowedWithoutGapOrDuplicate() { // WATCH-85
    create(key("a"));
    create(key("a").from(9));
    rig.write("a=2");
    rig.write("b=3");
    expect("created 0 @1", "created 1 @1", "events 0 @2 a=2#2");
    rig.write("a=4"); // not yet read
    ListHistory leader = new ListHistory();
    for (String change : List.of("a=2", "b=3", "a=4", "a=5", "b=6", "a=7")) {
      String[] parts = change.split("=");
      leader.write(List.of(new ListHistory.Change(parts[0], parts[1])));
    }
    rig.hub.attach(leader);
    expect("events 0 @7 a=4#4 a=5#5 a=7#7");
    rig.hub.committed(8, leader.write(List.of(new ListHistory.Change("a", "8"))));
    rig.hub.committed(9, leader.write(List.of(new ListHistory.Change("a", "9"))));
    expect("events 0 @8 a=8#8", "events 1 @9 a=9#9", "events 0 @9 a=9#9");
  }

  @Test
  void aStoreCompactedBeyondAWatcherEndsIt() { // WATCH-33, 85
    create(key("a"));
    rig.write("a=2");
    client.readAll();
    ListHistory leader = new ListHistory();
    for (int i = 2; i <= 9; i++) {
      leader.write(List.of(new ListHistory.Change("a", "" + i)));
    }
    leader.compact(8);
    leader.purge();
    rig.hub.attach(leader);
    expect("compacted 0 at 8");
  }

  // Bounds and ends

  @Test
  void controlAnswersAreBounded() { // WATCH-81
    for (int i = 0; i < 15; i++) {
      create(key("a"));
      assertTrue(client.stream.acceptsControl());
    }
    create(key("a"));
    assertFalse(client.stream.acceptsControl());
    assertEquals("created 0 @1", Rig.text(client.stream.poll()));
    assertTrue(client.stream.acceptsControl());
  }

  @Test
  void aClosedStreamIsGone() {
    create(key("a"));
    create(range("a", "c"));
    create(key("b").from(9).progress());
    client.read();
    assertEquals(3, rig.hub.watcherCount());
    rig.write("a=1");
    client.stream.close();
    client.stream.close();
    create(key("a"));
    client.stream.cancel(0);
    client.stream.requestProgress();
    rig.write("a=2");
    assertNull(client.stream.poll());
    assertEquals(0, rig.hub.watcherCount());
    assertEquals(0, rig.hub.unsyncedCount());
    assertEquals(Long.MAX_VALUE, rig.hub.nanosUntilDue());
  }
}
