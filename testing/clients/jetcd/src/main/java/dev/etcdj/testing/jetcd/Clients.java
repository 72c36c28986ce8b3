package dev.etcdj.testing.jetcd;

import static dev.etcdj.testing.jetcd.Checks.bytes;
import static dev.etcdj.testing.jetcd.Checks.check;
import static dev.etcdj.testing.jetcd.Checks.failure;
import static dev.etcdj.testing.jetcd.Checks.get;
import static dev.etcdj.testing.jetcd.Checks.reaches;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KV;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.CompactOption;
import io.etcd.jetcd.options.DeleteOption;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.LeaseOption;
import io.etcd.jetcd.options.PutOption;
import io.etcd.jetcd.support.Observers;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Drives a running cluster through jetcd: `Clients ENDPOINTS LEADER_COMMAND`.
///
/// ENDPOINTS is a comma list; "LEADER_COMMAND kill" kills the leader and "LEADER_COMMAND restart"
/// starts it again. Prints one line per check; ends with the counts and 1 when one failed.
public final class Clients {
    private static final Duration LONGEST = Duration.ofMinutes(30);

    private Clients() {}

    public static void main(String[] arguments) {
        Thread.setDefaultUncaughtExceptionHandler((thread, why) -> Checks.giveUp(why));
        Thread.ofPlatform().daemon().start(() -> {
            try {
                Thread.sleep(LONGEST);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            Checks.giveUp(new IllegalStateException(LONGEST + " have passed"));
        });
        String[] endpoints = Stream.of(arguments[0].split(",")).map(e -> "http://" + e).toArray(String[]::new);
        try (Client client = connect(endpoints)) {
            keyValue(client.getKVClient());
            transactions(client.getKVClient());
            Watches.run(client);
            leases(client);
            namespace(endpoints);
            Members members = new Members(client, endpoints);
            members.describe();
            Recipes recipes = new Recipes(client);
            recipes.run();
            Failover failover = new Failover(members, recipes.served());
            failover.awaitProgress("before the leader's death", 0);
            long term = members.term();
            control(arguments[1], "kill");
            failover.awaitProgress("after the leader's death", 1);
            members.elected(term);
            control(arguments[1], "restart");
            failover.awaitProgress("after its return", 1);
            failover.finish();
            members.agree();
        } catch (Exception e) {
            Checks.giveUp(e);
        }
        Checks.end();
    }

    static Client connect(String... endpoints) {
        return Client.builder()
                .endpoints(endpoints)
                .keepaliveTime(Duration.ofSeconds(10))
                // Also how long a lease's keep-alive waits for its first answer before it gives up.
                .keepaliveTimeout(Duration.ofSeconds(60))
                .build();
    }

    private static void control(String command, String what) {
        try {
            Process process = new ProcessBuilder(command, what).redirectErrorStream(true).start();
            String said = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
            System.out.println("-- " + what + ": " + said.strip());
            if (process.waitFor() != 0) {
                throw new IllegalStateException(command + " " + what);
            }
        } catch (java.io.IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static String pairs(GetResponse answer) {
        return answer.getKvs().stream().map(kv -> kv.getKey() + "=" + kv.getValue()).collect(Collectors.joining(" "));
    }

    private static void keyValue(KV kv) {
        long first = get(kv.put(bytes("kv/a"), bytes("3"))).getHeader().getRevision();
        get(kv.put(bytes("kv/b"), bytes("1")));
        get(kv.put(bytes("kv/c"), bytes("2")));
        var changed = get(kv.put(bytes("kv/a"), bytes("4"), PutOption.builder().withPrevKV().build()));
        check("previous value", "3", changed.getPrevKv().getValue());
        check("revisions rise by one", first + 3, changed.getHeader().getRevision());
        check("get", "kv/b=1", pairs(get(kv.get(bytes("kv/b")))));
        range(kv, "prefix", "kv/a=4 kv/b=1 kv/c=2", all());
        range(kv, "limit", "kv/a=4", all().withLimit(1));
        check("more", true, get(kv.get(bytes("kv/"), all().withLimit(1).build())).isMore());
        range(kv, "by value", "kv/b=1 kv/c=2 kv/a=4",
                all().withSortField(GetOption.SortTarget.VALUE).withSortOrder(GetOption.SortOrder.ASCEND));
        range(kv, "descending by key", "kv/c=2 kv/b=1 kv/a=4",
                all().withSortField(GetOption.SortTarget.KEY).withSortOrder(GetOption.SortOrder.DESCEND));
        range(kv, "at a revision", "kv/a=3", all().withRevision(first));
        range(kv, "serializable", "kv/a=4 kv/b=1 kv/c=2", all().withSerializable(true));
        range(kv, "keys only", "kv/a= kv/b= kv/c=", all().withKeysOnly(true));
        range(kv, "by version", "kv/a=4",
                all().withSortField(GetOption.SortTarget.VERSION).withSortOrder(GetOption.SortOrder.DESCEND).withLimit(1));
        range(kv, "by modification", "kv/a=4",
                all().withSortField(GetOption.SortTarget.MOD).withSortOrder(GetOption.SortOrder.DESCEND).withLimit(1));
        range(kv, "by creation", "kv/c=2",
                all().withSortField(GetOption.SortTarget.CREATE).withSortOrder(GetOption.SortOrder.DESCEND).withLimit(1));
        check("range", "kv/a=4 kv/b=1",
                pairs(get(kv.get(bytes("kv/a"), GetOption.builder().withRange(bytes("kv/c")).build()))));
        check("from key", "kv/c=2", pairs(get(kv.get(
                bytes("kv/c"), GetOption.builder().withRange(bytes("\0")).withLimit(1).build()))));
        range(kv, "modified at most", "kv/b=1", all().withMaxModRevision(first + 1));
        range(kv, "created at least", "kv/c=2", all().withMinCreateRevision(first + 2));
        range(kv, "modified at least", "kv/a=4", all().withMinModRevision(first + 3));
        range(kv, "created at most", "kv/a=4", all().withMaxCreateRevision(first));
        check("count only", 3, get(kv.get(bytes("kv/"), all().withCountOnly(true).build())).getCount());
        var gone = get(kv.delete(bytes("kv/a"), DeleteOption.builder().withPrevKV(true).build()));
        check("delete returns what was there", "4", gone.getPrevKvs().getFirst().getValue());
        check("delete a range", 1, get(kv.delete(bytes("kv/b"), DeleteOption.builder().withRange(bytes("kv/c")).build()))
                .getDeleted());
        check("delete a prefix", 1, get(kv.delete(bytes("kv/"), DeleteOption.builder().isPrefix(true).build())).getDeleted());
        get(kv.compact(gone.getHeader().getRevision() - 1));
        get(kv.compact(gone.getHeader().getRevision(), CompactOption.builder().withCompactPhysical(true).build()));
        check("a compacted revision", "etcdserver: mvcc: required revision has been compacted",
                failure(kv.get(bytes("kv/a"), GetOption.builder().withRevision(first).build())));
        check("a future revision", "etcdserver: mvcc: required revision is a future revision",
                failure(kv.get(bytes("kv/a"), GetOption.builder().withRevision(1L << 40).build())));
        check("no key", "etcdserver: key is not provided",
                failure(kv.put(ByteSequence.EMPTY, bytes("x"))));
    }

    private static GetOption.Builder all() {
        return GetOption.builder().isPrefix(true);
    }

    private static void range(KV kv, String name, String expected, GetOption.Builder option) {
        check(name, expected, pairs(get(kv.get(bytes("kv/"), option.build()))));
    }

    private static void transactions(KV kv) {
        get(kv.put(bytes("txn/a"), bytes("m")));
        var equal = new Cmp(bytes("txn/a"), Cmp.Op.EQUAL, CmpTarget.value(bytes("m")));
        var yes = get(kv.txn()
                .If(equal, new Cmp(bytes("txn/a"), Cmp.Op.GREATER, CmpTarget.version(0)))
                .Then(Op.put(bytes("txn/b"), bytes("then"), PutOption.DEFAULT), Op.get(bytes("txn/a"), GetOption.DEFAULT))
                .Else(Op.delete(bytes("txn/a"), DeleteOption.DEFAULT))
                .commit());
        check("succeeded", "true txn/a=m", yes.isSucceeded() + " " + pairs(yes.getGetResponses().getFirst()));
        var no = get(kv.txn()
                .If(new Cmp(bytes("txn/none"), Cmp.Op.NOT_EQUAL, CmpTarget.createRevision(0)))
                .Then(Op.delete(bytes("txn/a"), DeleteOption.DEFAULT))
                .Else(Op.get(bytes("txn/b"), GetOption.DEFAULT))
                .commit());
        check("not succeeded", "false txn/b=then", no.isSucceeded() + " " + pairs(no.getGetResponses().getFirst()));
        var nested = get(kv.txn()
                .Then(Op.txn(new Cmp[] {equal}, new Op[] {Op.delete(bytes("txn/b"), DeleteOption.DEFAULT)}, new Op[0]))
                .commit());
        check("nested", 1, nested.getTxnResponses().getFirst().getDeleteResponses().getFirst().getDeleted());
        check("one key twice", "etcdserver: duplicate key given in txn request", failure(kv.txn()
                .Then(Op.put(bytes("txn/x"), bytes("1"), PutOption.DEFAULT), Op.put(bytes("txn/x"), bytes("2"), PutOption.DEFAULT))
                .commit()));
        check("mod revision", false, get(kv.txn()
                        .If(new Cmp(bytes("txn/a"), Cmp.Op.LESS, CmpTarget.modRevision(1)))
                        .Then(Op.put(bytes("txn/c"), bytes("1"), PutOption.DEFAULT))
                        .commit())
                .isSucceeded());
    }

    private static void leases(Client client) {
        KV kv = client.getKVClient();
        var leases = client.getLeaseClient();
        long id = get(leases.grant(60)).getID();
        get(kv.put(bytes("lease/a"), bytes("1"), PutOption.builder().withLeaseId(id).build()));
        var left = get(leases.timeToLive(id, LeaseOption.builder().withAttachedKeys().build()));
        check("time to live", "60 [lease/a]", left.getGrantedTTL() + " " + left.getKeys());
        check("keep alive once", 60, get(leases.keepAliveOnce(id)).getTTL());
        AtomicLong kept = new AtomicLong();
        var alive = leases.keepAlive(id, Observers.observer(answer -> kept.set(answer.getTTL())));
        check("keep alive", true, reaches(() -> kept.get() == 60));
        alive.close();
        get(leases.revoke(id));
        check("revoked with its keys", 0, get(kv.get(bytes("lease/a"))).getCount());
        check("its time to live", -1, get(leases.timeToLive(id, LeaseOption.DEFAULT)).getTTL());
        check("put with a lease that is gone", "etcdserver: requested lease not found",
                failure(kv.put(bytes("lease/b"), bytes("1"), PutOption.builder().withLeaseId(id).build())));
        check("keep it alive", "etcdserver: requested lease not found", failure(leases.keepAliveOnce(id)));
        long shortLease = get(leases.grant(1, Checks.PATIENCE.toSeconds(), TimeUnit.SECONDS)).getID();
        get(kv.put(bytes("lease/short"), bytes("1"), PutOption.builder().withLeaseId(shortLease).build()));
        check("expires", true, reaches(() -> get(kv.get(bytes("lease/short"))).getCount() == 0));
    }

    private static void namespace(String... endpoints) {
        try (Client inside = Client.builder().endpoints(endpoints).namespace(bytes("ns/")).build();
                Client outside = connect(endpoints)) {
            get(inside.getKVClient().put(bytes("a"), bytes("1")));
            check("namespace, from inside", "a=1", pairs(get(inside.getKVClient().get(bytes("a")))));
            check("namespace, from outside", "ns/a=1", pairs(get(outside.getKVClient().get(bytes("ns/a")))));
        }
    }
}
