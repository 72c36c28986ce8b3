package dev.etcdj.server.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.etcdj.mvcc.backend.Backend;
import dev.etcdj.mvcc.backend.BackendOptions;
import dev.etcdj.mvcc.backend.MemoryBackend;
import dev.etcdj.mvcc.backend.ReadView;
import dev.etcdj.mvcc.backend.WriteUnit;
import dev.etcdj.proto.status.EtcdException;
import dev.etcdj.proto.status.RpcError;
import dev.etcdj.raft.Role;
import dev.etcdj.server.lease.Lessor.Renewed;
import dev.etcdj.server.raftnode.RaftView;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/// Guarantees what a lease lives through, under a manual clock. Source: lease.md. Replay the
/// random part with `-Dseed=`.
class LessorTest {
  private static final long SECOND = 1_000_000_000L;

  private final AtomicLong nanos = new AtomicLong(-50 * SECOND);
  private final Backend backend = new MemoryBackend(BackendOptions.of(() -> 0, () -> {}));
  private final Lessor lessor = new Lessor(nanos::get, 2, SECOND);

  private void inUnit(Consumer<WriteUnit> change) {
    WriteUnit unit = backend.begin();
    change.accept(unit);
    unit.publish();
  }

  private static RaftView view(boolean leader, long term) {
    return new RaftView(1, leader ? 1 : 2, leader ? Role.LEADER : Role.FOLLOWER, term, 0, 0);
  }

  private void lead(long term) {
    lessor.leadershipChanged(view(true, term));
    lessor.promote(term);
  }

  private String renew(long id) {
    List<String> outcome = new ArrayList<>();
    lessor.renew(id, (renewed, ttl) -> outcome.add(renewed + " " + ttl));
    return outcome.isEmpty() ? "waits" : outcome.getFirst();
  }

  private static RpcError refused(Runnable call) {
    EtcdException thrown = assertThrows(EtcdException.class, call::run);
    for (RpcError error : RpcError.values()) {
      if (error.text().equals(thrown.text())) {
        return error;
      }
    }
    throw new AssertionError(thrown);
  }

  @Test
  void grantRules() {
    // LEASE-13, LIM-60
    assertEquals(2, Lessor.minTtlSeconds(1_000));
    assertEquals(8, Lessor.minTtlSeconds(5_000));
    inUnit(unit -> assertEquals(2, lessor.grant(1, -7, unit)));
    inUnit(unit -> assertEquals(9_000_000_000L, lessor.grant(-3, 9_000_000_000L, unit)));
    // LEASE-12, LEASE-14
    inUnit(
        unit -> {
          assertEquals(
              RpcError.LEASE_TTL_TOO_LARGE, refused(() -> lessor.grant(2, 9_000_000_001L, unit)));
          assertEquals(RpcError.LEASE_EXIST, refused(() -> lessor.grant(1, 5, unit)));
        });
    assertTrue(lessor.exists(1) && lessor.exists(-3) && !lessor.exists(2));
  }

  @Test
  void onlyALeaderExpires() {
    inUnit(unit -> lessor.grant(1, 10, unit));
    nanos.addAndGet(100 * SECOND);
    assertFalse(lessor.hasOverdue());
    assertEquals(List.of(), lessor.takeOverdue(10, SECOND));
    assertEquals("NOT_PRIMARY 0", renew(1));
    // LEASE-75: full TTL and an election timeout from the promotion on.
    lead(3);
    nanos.addAndGet(11 * SECOND - 1);
    assertEquals(List.of(), lessor.takeOverdue(10, SECOND));
    nanos.incrementAndGet();
    assertEquals(List.of(1L), lessor.takeOverdue(10, 7 * SECOND));
    // LEASE-37: offered again later, and not before.
    assertEquals(List.of(), lessor.takeOverdue(10, 7 * SECOND));
    nanos.addAndGet(7 * SECOND);
    assertEquals(List.of(1L), lessor.takeOverdue(10, 7 * SECOND));
    // LEASE-77
    lessor.leadershipChanged(view(false, 4));
    nanos.addAndGet(100 * SECOND);
    assertEquals(List.of(), lessor.takeOverdue(10, SECOND));
  }

  @Test
  void keepAliveMovesExpiryButNeverResurrects() {
    lead(1);
    inUnit(unit -> lessor.grant(1, 10, unit));
    nanos.addAndGet(9 * SECOND);
    assertEquals("RENEWED 10", renew(1));
    nanos.addAndGet(9 * SECOND);
    assertEquals(List.of(), lessor.takeOverdue(10, SECOND));
    assertEquals(1, lessor.timeToLive(1, false).remainingSeconds());
    nanos.addAndGet(SECOND);
    // LEASE-53, LEASE-62: overdue, alive until revoked.
    assertTrue(lessor.exists(1));
    assertEquals(0, lessor.timeToLive(1, false).remainingSeconds());
    List<Renewed> outcomes = new ArrayList<>();
    lessor.renew(1, (renewed, _) -> outcomes.add(renewed));
    assertEquals(List.of(), outcomes);
    inUnit(unit -> lessor.remove(1, unit));
    assertEquals(List.of(Renewed.NOT_FOUND), outcomes);
    assertEquals("NOT_FOUND 0", renew(1));
    // Demotion sends a waiting renewal to the next leader.
    inUnit(unit -> lessor.grant(2, 2, unit));
    nanos.addAndGet(3 * SECOND);
    lessor.renew(2, (renewed, _) -> outcomes.add(renewed));
    lessor.leadershipChanged(view(false, 2));
    assertEquals(List.of(Renewed.NOT_FOUND, Renewed.NOT_PRIMARY), outcomes);
  }

  @Test
  void aLatePromotionOfALostTermIsIgnored() {
    lessor.leadershipChanged(view(true, 5));
    lessor.leadershipChanged(view(false, 5));
    lessor.promote(5);
    assertFalse(lessor.isPrimary());
    // Won again before apply got to the first term's entry.
    lessor.leadershipChanged(view(true, 7));
    lessor.promote(5);
    assertFalse(lessor.isPrimary());
    lessor.promote(7);
    assertTrue(lessor.isPrimary());
    // Straight from one term to the next.
    lessor.leadershipChanged(view(true, 8));
    assertFalse(lessor.isPrimary());
  }

  @Test
  void checkpointsCountAtThePromotionOnly() {
    lead(1);
    inUnit(unit -> lessor.grant(1, 1_000, unit));
    inUnit(unit -> lessor.checkpoint(1, 300, unit));
    inUnit(unit -> lessor.checkpoint(99, 300, unit));
    assertEquals(1_000, lessor.timeToLive(1, false).remainingSeconds());
    // LEASE-54
    assertEquals("CHECKPOINTED 0", renew(1));
    lead(2);
    assertEquals(301, lessor.timeToLive(1, false).remainingSeconds());
    inUnit(unit -> lessor.checkpoint(1, 0, unit));
    assertEquals("RENEWED 1000", renew(1));
  }

  @Test
  void manyLeasesAreSpreadAtPromotion() {
    inUnit(
        unit -> {
          for (int id = 1; id <= 3_000; id++) {
            lessor.grant(id, 10, unit);
          }
        });
    lead(1);
    // LEASE-76
    nanos.addAndGet(11 * SECOND);
    assertTrue(lessor.takeOverdue(5_000, 100 * SECOND).size() <= 1);
    nanos.addAndGet(SECOND);
    int first = lessor.takeOverdue(5_000, 100 * SECOND).size();
    assertTrue(first >= 740 && first <= 760, "fell due in a second: " + first);
  }

  @Test
  void recordsSurviveAndKeysAreAttachedAgain() {
    inUnit(unit -> lessor.grant(1, 10, unit));
    inUnit(unit -> lessor.grant(-2, 1, unit));
    inUnit(unit -> lessor.checkpoint(1, 4, unit));
    lessor.attach(ByteString.copyFromUtf8("a"), 1);
    Lessor restarted = new Lessor(nanos::get, 3, SECOND);
    try (ReadView view = backend.read()) {
      restarted.load(view);
    }
    assertTrue(restarted.exists(1) && restarted.exists(-2));
    assertEquals(List.of(), restarted.attachedKeys(1));
    restarted.attach(ByteString.copyFromUtf8("a"), 1);
    // LEASE-24: a lease that no longer exists is ignored.
    restarted.attach(ByteString.copyFromUtf8("b"), 77);
    assertEquals(0, restarted.leaseOf(ByteString.copyFromUtf8("b")));
    restarted.leadershipChanged(view(true, 1));
    restarted.promote(1);
    // LEASE-13: raised at load; LEASE-75: the checkpoint counts.
    assertEquals(4, restarted.timeToLive(-2, false).remainingSeconds());
    assertEquals(5, restarted.timeToLive(1, false).remainingSeconds());
    assertEquals(List.of(-2L, 1L), restarted.ids());
  }

  @Test
  void keysMoveBetweenLeases() {
    inUnit(unit -> lessor.grant(1, 10, unit));
    inUnit(unit -> lessor.grant(2, 10, unit));
    for (String key : List.of("b", "a", "\u00ff")) {
      lessor.attach(ByteString.copyFromUtf8(key), 1);
    }
    // LEASE-32: byte order.
    assertEquals(
        List.of("a", "b", "\u00ff"),
        lessor.attachedKeys(1).stream().map(ByteString::toStringUtf8).toList());
    lessor.attach(ByteString.copyFromUtf8("a"), 2);
    lessor.attach(ByteString.copyFromUtf8("b"), 0);
    assertEquals(1, lessor.attachedKeys(1).size());
    assertEquals(2, lessor.leaseOf(ByteString.copyFromUtf8("a")));
    assertEquals(0, lessor.leaseOf(ByteString.copyFromUtf8("b")));
    assertNull(lessor.attachedKeys(3));
  }

  /// Against a list: whatever is granted, renewed, revoked in any order, a lease is offered exactly
  /// when its time is over, and never one that is gone.
  @Test
  void randomLives() {
    long seed = Long.getLong("seed", 20_261);
    Random random = new Random(seed);
    Map<Long, Long> expiry = new HashMap<>();
    lead(1);
    for (int step = 0; step < 20_000; step++) {
      long id = 1 + random.nextInt(300);
      switch (random.nextInt(5)) {
        case 0 -> {
          if (!expiry.containsKey(id)) {
            long ttl = 2 + random.nextInt(50);
            inUnit(unit -> lessor.grant(id, ttl, unit));
            expiry.put(id, nanos.get() + ttl * SECOND);
          }
        }
        case 1 -> {
          boolean alive = expiry.containsKey(id) && expiry.get(id) > nanos.get();
          String outcome = alive ? renew(id) : "";
          if (alive) {
            assertTrue(outcome.startsWith("RENEWED"), "seed " + seed + ": " + outcome);
            expiry.put(id, nanos.get() + Long.parseLong(outcome.substring(8)) * SECOND);
          }
        }
        case 2 -> {
          if (random.nextInt(4) == 0) {
            inUnit(unit -> lessor.remove(id, unit));
            expiry.remove(id);
          }
        }
        case 3 -> nanos.addAndGet(random.nextInt(3) * SECOND / 2);
        default -> {
          List<Long> due =
              expiry.entrySet().stream()
                  .filter(lease -> lease.getValue() <= nanos.get())
                  .map(Map.Entry::getKey)
                  .sorted()
                  .toList();
          List<Long> offered = lessor.takeOverdue(1_000, SECOND).stream().sorted().toList();
          assertEquals(due, offered, "seed " + seed + " step " + step);
          for (long revoked : offered) {
            inUnit(unit -> lessor.remove(revoked, unit));
            expiry.remove(revoked);
          }
        }
      }
    }
  }
}
