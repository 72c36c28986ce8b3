package dev.etcdj.testing.jetcd;

import static dev.etcdj.testing.jetcd.Checks.bytes;
import static dev.etcdj.testing.jetcd.Checks.check;
import static dev.etcdj.testing.jetcd.Checks.get;
import static dev.etcdj.testing.jetcd.Checks.reaches;

import io.etcd.jetcd.Client;
import io.etcd.jetcd.Election;
import io.etcd.jetcd.election.LeaderKey;
import io.etcd.jetcd.election.LeaderResponse;
import io.etcd.jetcd.election.NoLeaderException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// Lock and Election: jetcd leaves the work to the services of the same names. A server that has
/// neither must say so of each call.
final class Recipes {
    private final Client client;
    private final boolean served;

    Recipes(Client client) {
        this.client = client;
        served = !Checks.failure(client.getLockClient().unlock(bytes("nobody"))).startsWith("UNIMPLEMENTED: ");
    }

    boolean served() {
        return served;
    }

    void run() {
        if (!served) {
            refused();
            return;
        }
        long one = get(client.getLeaseClient().grant(60)).getID();
        long two = get(client.getLeaseClient().grant(60)).getID();
        locks(one, two);
        elections(one, two);
        get(client.getLeaseClient().revoke(one));
        get(client.getLeaseClient().revoke(two));
    }

    private void refused() {
        var locks = client.getLockClient();
        String noLock = "UNIMPLEMENTED: unknown service v3lockpb.Lock";
        check("no lock", noLock, Checks.failure(locks.lock(bytes("lock"), 1)));
        check("no unlock", noLock, Checks.failure(locks.unlock(bytes("lock"))));
        Election elections = client.getElectionClient();
        var key = new LeaderKey(bytes("election"), bytes("election/1"), 1, 1);
        String noElection = "UNIMPLEMENTED: unknown service v3electionpb.Election";
        check("no campaign", noElection, Checks.failure(elections.campaign(bytes("election"), 1, bytes("a"))));
        check("no proclamation", noElection, Checks.failure(elections.proclaim(key, bytes("a"))));
        check("no leader", noElection, Checks.failure(elections.leader(bytes("election"))));
        check("no resignation", noElection, Checks.failure(elections.resign(key)));
        List<String> terms = observe(elections);
        check("no observation", true, reaches(() -> !terms.isEmpty()));
        check("why", noElection, terms.getFirst());
    }

    /// The values of the terms, or what ended the observation.
    private static List<String> observe(Election elections) {
        List<String> terms = new CopyOnWriteArrayList<>();
        elections.observe(bytes("election"), new Election.Listener() {
            @Override
            public void onNext(LeaderResponse answer) {
                terms.add(answer.getKv().getValue().toString());
            }

            @Override
            public void onError(Throwable why) {
                terms.add(Checks.text(why));
            }

            @Override
            public void onCompleted() {
                terms.add("completed");
            }
        });
        return terms;
    }

    private void locks(long one, long two) {
        var locks = client.getLockClient();
        var held = get(locks.lock(bytes("lock"), one)).getKey();
        check("the key of a lock", "lock/" + Long.toHexString(one), held);
        check("taken again by its holder", held, get(locks.lock(bytes("lock"), one)).getKey());
        var waiting = locks.lock(bytes("lock"), two);
        check("both stand in line", true, reaches(() -> get(client.getKVClient()
                        .get(bytes("lock/"), io.etcd.jetcd.options.GetOption.builder().isPrefix(true).build()))
                .getCount() == 2));
        check("the second waits", false, waiting.isDone());
        get(locks.unlock(held));
        var next = get(waiting).getKey();
        check("then it has the lock", "lock/" + Long.toHexString(two), next);
        get(locks.unlock(next));
    }

    private void elections(long one, long two) {
        Election elections = client.getElectionClient();
        try {
            elections.leader(bytes("election")).get();
            check("no leader", true, false);
        } catch (Exception e) {
            check("no leader", NoLeaderException.class, e.getCause().getClass());
        }
        List<String> terms = observe(elections);
        var first = get(elections.campaign(bytes("election"), one, bytes("a"))).getLeader();
        check("elected", "a", get(elections.leader(bytes("election"))).getKv().getValue());
        reaches(() -> terms.contains("a"));
        get(elections.proclaim(first, bytes("a2")));
        reaches(() -> terms.contains("a2"));
        var second = elections.campaign(bytes("election"), two, bytes("b"));
        get(elections.resign(first));
        check("the second is elected", "b", get(second.thenCompose(_ -> elections.leader(bytes("election")))).getKv().getValue());
        reaches(() -> terms.contains("b"));
        check("what was observed", "[a, a2, b]", terms);
        get(elections.resign(get(second).getLeader()));
    }
}
