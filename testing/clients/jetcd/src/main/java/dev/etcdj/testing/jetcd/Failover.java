package dev.etcdj.testing.jetcd;

import static dev.etcdj.testing.jetcd.Checks.bytes;
import static dev.etcdj.testing.jetcd.Checks.check;
import static dev.etcdj.testing.jetcd.Checks.eventually;
import static dev.etcdj.testing.jetcd.Checks.get;
import static dev.etcdj.testing.jetcd.Checks.reaches;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KV;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.Watch;
import io.etcd.jetcd.election.LeaderKey;
import io.etcd.jetcd.lease.LeaseKeepAliveResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.PutOption;
import io.etcd.jetcd.options.WatchOption;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;

/// What goes on while the leader is killed: each activity has a thread and counts its steps.
final class Failover {
    /// Seconds; elections take far less, but a busy machine may be slow. A keep-alive comes in a third.
    private static final long TTL = Long.parseLong(System.getenv().getOrDefault("CLIENTS_LEASE_TTL", "60"));

    private static final int CONTENDERS = 2;

    private final Client client;
    private final KV kv;
    private final Map<String, AtomicLong> steps = new ConcurrentHashMap<>();
    private final List<Thread> threads = new ArrayList<>();
    private final Map<String, Long> acked = new ConcurrentHashMap<>();
    private final AtomicLong counted = new AtomicLong();
    private final AtomicLong locked = new AtomicLong();
    private final AtomicLong breaks = new AtomicLong();
    private final Watch.Watcher watcher;
    private List<String> events;
    private final long first;
    private final long lease;

    /// Read by the activities.
    private volatile boolean stopped;

    Failover(Members members, boolean recipes) {
        client = members.connect(0);
        kv = client.getKVClient();
        first = get(kv.put(bytes("fail/start"), bytes(""))).getHeader().getRevision();
        watcher = throughLeader(members);
        run("puts", this::put);
        lease = get(client.getLeaseClient().grant(TTL)).getID();
        get(kv.put(bytes("leased"), bytes("1"), PutOption.builder().withLeaseId(lease).build()));
        keepAlive(lease, "keep-alives");
        for (int contender = 0; contender < CONTENDERS; contender++) {
            int number = contender;
            run("transactions " + contender, step -> increment("done/" + number + "/" + step));
            if (recipes) {
                long own = get(client.getLeaseClient().grant(TTL)).getID();
                keepAlive(own, "keep-alives of locks " + contender);
                run("locks " + contender, _ -> underLock(own));
            }
        }
        if (recipes) {
            LeaderKey term = get(client.getElectionClient().campaign(bytes("term"), lease, bytes("first"))).getLeader();
            run("proclamations", step -> eventually(() -> client.getElectionClient().proclaim(term, bytes("first " + step))));
        }
    }

    private void run(String name, LongConsumer step) {
        AtomicLong done = new AtomicLong();
        steps.put(name, done);
        threads.add(Thread.ofPlatform().name(name).start(() -> {
            while (!stopped) {
                step.accept(done.get());
                done.incrementAndGet();
                Checks.pause();
            }
        }));
    }

    /// An attempt that failed may have been applied, so a value can come in several revisions; an
    /// acknowledged one has exactly the revision of its answer.
    private void put(long step) {
        String key = "fail/%06d".formatted(step);
        acked.put(key, eventually(() -> kv.put(bytes(key), bytes(key))).getHeader().getRevision());
    }

    /// A watch through the member that will die, or its death would mostly go unseen: with a fresh client
    /// each time, until one happens to be there.
    private Watch.Watcher throughLeader(Members members) {
        long leader = members.leader();
        for (int attempt = 0; attempt < 30; attempt++) {
            Client watching = members.connect(attempt);
            AtomicLong server = new AtomicLong();
            List<String> seen = Collections.synchronizedList(new ArrayList<>());
            Watch.Watcher opened = watch(watching, seen, server);
            reaches(() -> server.get() != 0);
            if (server.get() == leader) {
                events = seen;
                return opened;
            }
            watching.close();
        }
        throw new IllegalStateException("no watch is served by " + Long.toHexString(leader));
    }

    /// @param server takes the id of the member that serves it
    private Watch.Watcher watch(Client watching, List<String> into, AtomicLong server) {
        var option = WatchOption.builder().isPrefix(true).withRevision(first).withCreateNotify(true).build();
        return watching.getWatchClient().watch(
                bytes("fail/"), option,
                answer -> {
                    server.set(answer.getHeader().getMemberId());
                    answer.getEvents().forEach(e -> into.add(Watches.show(e)));
                },
                why -> {
                    breaks.incrementAndGet();
                    Watches.broke(why);
                });
    }

    private void keepAlive(long id, String name) {
        AtomicLong done = new AtomicLong();
        steps.put(name, done);
        client.getLeaseClient().keepAlive(id, new StreamObserver<LeaseKeepAliveResponse>() {
            @Override
            public void onNext(LeaseKeepAliveResponse answer) {
                done.incrementAndGet();
            }

            /// The client tells of every broken stream and opens another; a lease that is gone stays so.
            @Override
            public void onError(Throwable why) {
                System.out.println("-- the stream of " + name + " broke: " + why.getMessage());
                if (!stopped && Checks.text(why).equals("etcdserver: requested lease not found")) {
                    Checks.giveUp(why);
                }
            }

            /// No answer came in the lease's time.
            @Override
            public void onCompleted() {
                if (!stopped) {
                    Checks.giveUp(new IllegalStateException("no more " + name));
                }
            }
        });
    }

    /// The marker tells whether an attempt of unknown outcome was applied.
    private void increment(String marker) {
        while (eventually(() -> kv.get(bytes(marker))).getCount() == 0) {
            List<KeyValue> now = eventually(() -> kv.get(bytes("counter"))).getKvs();
            long revision = now.isEmpty() ? 0 : now.getFirst().getModRevision();
            kv.txn()
                    .If(new Cmp(bytes("counter"), Cmp.Op.EQUAL, CmpTarget.modRevision(revision)),
                            new Cmp(bytes(marker), Cmp.Op.EQUAL, CmpTarget.createRevision(0)))
                    .Then(Op.put(bytes("counter"), bytes(number(now) + 1), PutOption.DEFAULT),
                            Op.put(bytes(marker), bytes("done"), PutOption.DEFAULT))
                    .commit()
                    .exceptionally(_ -> null)
                    .join();
        }
        counted.incrementAndGet();
    }

    private static long number(List<KeyValue> kvs) {
        return kvs.isEmpty() ? 0 : Long.parseLong(kvs.getFirst().getValue().toString());
    }

    /// Counts with a get and a put that guard nothing by themselves: two holders would lose a count. A
    /// put of unknown outcome may be applied late, then not any more: the lock must still be this one.
    private void underLock(long own) {
        ByteSequence key = eventually(() -> client.getLockClient().lock(bytes("guard"), own)).getKey();
        long created = eventually(() -> kv.get(key)).getKvs().getFirst().getCreateRevision();
        long value = number(eventually(() -> kv.get(bytes("locked"))).getKvs());
        var held = eventually(() -> kv.txn()
                .If(new Cmp(key, Cmp.Op.EQUAL, CmpTarget.createRevision(created)))
                .Then(Op.put(bytes("locked"), bytes(value + 1), PutOption.DEFAULT))
                .commit());
        if (!held.isSucceeded()) {
            Checks.giveUp(new IllegalStateException("the lock was lost"));
        }
        locked.incrementAndGet();
        eventually(() -> client.getLockClient().unlock(key));
    }

    /// Waits until each activity has taken some more steps; of keep-alives, which are slow, until as many
    /// more have come, and one at all.
    void awaitProgress(String when, int renewals) {
        for (var activity : steps.entrySet()) {
            long now = activity.getValue().get();
            long target = activity.getKey().startsWith("keep-alives") ? Math.max(1, now + renewals) : now + 3;
            check(activity.getKey() + " go on " + when, true, reaches(() -> activity.getValue().get() >= target));
        }
    }

    void finish() {
        stopped = true;
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
        long last = get(kv.put(bytes("fail/end"), bytes(""))).getHeader().getRevision();
        check("the watch was broken", true, breaks.get() > 0);
        check("the watch reaches the end", true, reaches(() -> ended(events, last)));
        List<String> history = Collections.synchronizedList(new ArrayList<>());
        try (var _ = watch(client, history, new AtomicLong())) {
            reaches(() -> ended(history, last));
        }
        watcher.close();
        check("the resumed watch saw all of history, once, in order", "same", difference(history, events));
        Set<String> seen = new HashSet<>(events);
        long missing = acked.entrySet().stream()
                .filter(put -> !seen.contains(put.getValue() + " PUT " + put.getKey() + "=" + put.getKey()))
                .count();
        check("acknowledged puts that were not seen", 0, missing);
        check("increments by transactions", counted.get(), number(get(kv.get(bytes("counter"))).getKvs()));
        if (locked.get() > 0) {
            check("increments under the lock", locked.get(), number(get(kv.get(bytes("locked"))).getKvs()));
        }
        check("the lease lives", 1, get(kv.get(bytes("leased"))).getCount());
        get(client.getLeaseClient().revoke(lease));
        check("revoked at the end", 0, get(kv.get(bytes("leased"))).getCount());
    }

    private static String difference(List<String> expected, List<String> found) {
        for (int i = 0; i < Math.max(expected.size(), found.size()); i++) {
            String e = i < expected.size() ? expected.get(i) : "nothing";
            String f = i < found.size() ? found.get(i) : "nothing";
            if (!e.equals(f)) {
                return "event " + i + ": " + e + " / " + f;
            }
        }
        return "same";
    }

    private static boolean ended(List<String> events, long last) {
        return !events.isEmpty() && events.getLast().startsWith(last + " ");
    }
}
