package dev.etcdj.conformance;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import dev.etcdj.proto.etcdserverpb.CompactionRequest;
import dev.etcdj.proto.etcdserverpb.HashKVRequest;
import dev.etcdj.proto.etcdserverpb.LeaseGrantRequest;
import dev.etcdj.proto.etcdserverpb.LeaseKeepAliveRequest;
import dev.etcdj.proto.etcdserverpb.LeaseRevokeRequest;
import dev.etcdj.proto.etcdserverpb.LeaseTimeToLiveRequest;
import dev.etcdj.proto.etcdserverpb.PutRequest;
import dev.etcdj.proto.etcdserverpb.RangeRequest;
import dev.etcdj.proto.etcdserverpb.WatchCancelRequest;
import dev.etcdj.proto.etcdserverpb.WatchCreateRequest;
import dev.etcdj.proto.etcdserverpb.WatchProgressRequest;
import dev.etcdj.proto.etcdserverpb.WatchRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/// Random programs. The same seed and number give the same program.
final class Generator {
  private static final int MIN_STEPS = 80;
  private static final int MAX_STEPS = 400;
  private static final int MAX_WATCHERS = 40;
  private static final int UNKNOWN_LEASE = 99;

  private final String name;
  private final SplittableRandom random;
  private final Requests requests;
  private final List<Step> steps = new ArrayList<>();

  /// Whether hashes are asked for. A hash at a compaction differs before and after its background
  /// work (KV-114), so such programs wait for it.
  private final boolean hashes;

  /// Whether there are compactions. One at the very revision of a transaction that deletes from a
  /// key on and puts again loses that key in real etcd, which ends when it is read; so a program
  /// has such transactions or compactions. See docs/divergence.md on KV-103.
  private final boolean compacting;

  private int watchers;

  private Generator(long seed, long number) {
    this.name = "seed " + seed + ", program " + number;
    this.random = new SplittableRandom(seed * 0x9E3779B97F4A7C15L + number);
    this.hashes = random.nextInt(3) == 0;
    this.compacting = hashes || random.nextInt(2) == 0;
    this.requests = new Requests(random, random.nextInt(4) == 0, !compacting);
  }

  static Program program(long seed, long number) {
    return new Generator(seed, number).program();
  }

  private Program program() {
    if (compacting) {
      // What earlier programs left to do is done then, and none of their revisions can be
      // compacted.
      call(
          Verb.COMPACT,
          CompactionRequest.newBuilder()
              .setRevision(Revisions.fromBase(0))
              .setPhysical(true)
              .build());
    }
    int length = MIN_STEPS + random.nextInt(MAX_STEPS - MIN_STEPS);
    boolean watching = random.nextInt(3) != 0;
    while (steps.size() < length) {
      if (watching && requests.chance(0.06)) {
        watch();
      } else if (requests.chance(0.12)) {
        lease();
      } else if (requests.chance(0.02)) {
        upkeep();
      } else {
        keyValue();
      }
    }
    if (hashes) {
      call(Verb.PUT, PutRequest.newBuilder().setKey(ByteString.copyFromUtf8("end")).build());
      call(Verb.HASH_KV, Verb.HASH_KV.request());
    }
    return new Program(name, List.of(), false, steps);
  }

  private void call(Verb verb, Message request) {
    steps.add(new Step.Call(verb, request, Map.of()));
  }

  private void keyValue() {
    int kind = random.nextInt(20);
    if (kind < 6) {
      call(Verb.PUT, requests.put());
    } else if (kind < 8) {
      call(Verb.DELETE, requests.delete());
    } else if (kind < 13) {
      call(Verb.TXN, requests.txn());
    } else if (kind < 14) {
      call(Verb.RANGE_STREAM, streamed(requests.range()));
    } else {
      // In groups, as they may then be asked at once.
      for (int i = 1 + random.nextInt(4); i > 0; i--) {
        call(Verb.RANGE, requests.range());
      }
    }
  }

  /// Mostly without what a stream refuses (KV-55). Never with a target and no order: real etcd then
  /// sorts each chunk by itself, see docs/divergence.md.
  private RangeRequest streamed(RangeRequest range) {
    RangeRequest.Builder streamed = range.toBuilder();
    if (range.getSortOrderValue() == 0) {
      streamed.clearSortTarget();
    }
    if (requests.chance(0.9)) {
      streamed
          .clearSortOrder()
          .clearSortTarget()
          .clearMinModRevision()
          .clearMaxModRevision()
          .clearMinCreateRevision()
          .clearMaxCreateRevision();
    }
    return streamed.build();
  }

  private void lease() {
    long id = requests.chance(0.05) ? UNKNOWN_LEASE : requests.lease();
    switch (random.nextInt(10)) {
      case 0, 1, 2, 3 -> call(Verb.GRANT, grant(id));
      case 4, 5 -> call(Verb.REVOKE, LeaseRevokeRequest.newBuilder().setID(id).build());
      case 6, 7 ->
          call(
              Verb.TTL,
              LeaseTimeToLiveRequest.newBuilder().setID(id).setKeys(requests.chance(0.7)).build());
      case 8 -> call(Verb.LEASES, Verb.LEASES.request());
      default ->
          steps.add(new Step.KeepAlive("K", LeaseKeepAliveRequest.newBuilder().setID(id).build()));
    }
  }

  /// Times to live lie far apart, so that the order in which leases are listed is the same
  /// (LEASE-70), and far off, so that none ends.
  private LeaseGrantRequest grant(long id) {
    long ttl = requests.chance(0.03) ? 9_000_000_001L : 100_000 + 1_000 * id;
    return LeaseGrantRequest.newBuilder().setID(id).setTTL(ttl).build();
  }

  private void upkeep() {
    if (hashes && requests.chance(0.5)) {
      call(Verb.HASH_KV, HashKVRequest.newBuilder().setRevision(requests.revision()).build());
    } else if (!compacting || requests.chance(0.1)) {
      call(Verb.MEMBER_LIST, Verb.MEMBER_LIST.request());
    } else {
      // A watcher that is still behind may or may not be ended by it (WATCH-34).
      steps.add(new Step.Settle());
      long revision = requests.revision();
      call(
          Verb.COMPACT,
          CompactionRequest.newBuilder()
              // Compact(0) makes the hashes of the two differ, see docs/divergence.md on KV-110.
              .setRevision(revision == 0 ? Revisions.fromCurrent(0) : revision)
              .setPhysical(hashes || requests.chance(0.3))
              .build());
    }
  }

  private void watch() {
    String stream = requests.chance(0.6) ? "A" : "B";
    int kind = random.nextInt(10);
    if (kind < 6 && watchers < MAX_WATCHERS) {
      watchers++;
      send(stream, WatchRequest.newBuilder().setCreateRequest(create()).build());
    } else {
      // What was delivered before is the same then.
      steps.add(new Step.Settle());
      WatchRequest.Builder request = WatchRequest.newBuilder();
      if (kind < 9) {
        request.setCancelRequest(WatchCancelRequest.newBuilder().setWatchId(random.nextInt(7)));
      } else {
        request.setProgressRequest(WatchProgressRequest.getDefaultInstance());
      }
      send(stream, request.build());
    }
  }

  private void send(String stream, WatchRequest request) {
    steps.add(new Step.Watch(stream, request, Map.of()));
  }

  private WatchCreateRequest create() {
    ByteString key = requests.key();
    WatchCreateRequest.Builder create =
        WatchCreateRequest.newBuilder()
            .setKey(key)
            .setRangeEnd(requests.rangeEnd(key))
            .setPrevKv(requests.chance(0.5))
            .setProgressNotify(requests.chance(0.2))
            .setFragment(requests.chance(0.2));
    switch (random.nextInt(10)) {
      case 0, 1, 2 -> create.setStartRevision(requests.revision());
      case 3 -> create.setStartRevision(Revisions.fromCurrent(random.nextInt(20)));
      case 4, 5 -> create.setStartRevision(Revisions.fromCurrent(-random.nextInt(40)));
      default -> {
        // From now on.
      }
    }
    if (requests.chance(0.2)) {
      create.addFiltersValue(random.nextInt(2));
    }
    if (requests.chance(0.05)) {
      create.addFiltersValue(random.nextInt(3));
    }
    if (create.getFiltersValueList().containsAll(List.of(0, 1))) {
      // It delivers nothing that shows when it has caught up, and until then real etcd answers no
      // progress request of its stream.
      create.clearStartRevision();
    }
    if (requests.chance(0.3)) {
      create.setWatchId(1 + random.nextInt(6));
    }
    return create.build();
  }
}
