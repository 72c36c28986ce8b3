package dev.etcdj.testing.jetcd;

import static dev.etcdj.testing.jetcd.Checks.bytes;
import static dev.etcdj.testing.jetcd.Checks.check;
import static dev.etcdj.testing.jetcd.Checks.eventually;
import static dev.etcdj.testing.jetcd.Checks.get;
import static dev.etcdj.testing.jetcd.Checks.reaches;

import io.etcd.jetcd.Client;
import io.etcd.jetcd.Maintenance;
import io.etcd.jetcd.cluster.Member;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// The members one by one: what they are, whether they know of the same leader and hold the same.
final class Members {
    private final Client client;
    private final Maintenance maintenance;
    private final List<String> endpoints;

    Members(Client client, String... endpoints) {
        this.client = client;
        this.endpoints = List.of(endpoints);
        maintenance = client.getMaintenanceClient();
    }

    void describe() {
        List<Member> members = get(client.getClusterClient().listMember()).getMembers();
        check("members", "[m1, m2, m3]", members.stream().map(Member::getName).sorted().toList());
        check("no alarm", "[]", get(maintenance.listAlarms()).getAlarms());
        agree();
    }

    /// A client of them all, a different one first each time.
    Client connect(int first) {
        List<String> order = new ArrayList<>(endpoints);
        Collections.rotate(order, first);
        return Clients.connect(order.toArray(String[]::new));
    }

    long leader() {
        return statuses().mapToLong(Status::leader).findFirst().orElse(0);
    }

    /// The newest term that a member which answers knows of.
    long term() {
        return statuses().mapToLong(Status::term).max().orElse(0);
    }

    private record Status(long leader, long term) {}

    private Stream<Status> statuses() {
        return endpoints.stream().flatMap(endpoint -> {
            try {
                var answer = maintenance.statusMember(endpoint).get(5, TimeUnit.SECONDS);
                return Stream.of(new Status(answer.getLeader(), answer.getRaftTerm()));
            } catch (Exception e) {
                return Stream.empty();
            }
        });
    }

    void elected(long before) {
        check("another leader was elected", true, reaches(() -> statuses().anyMatch(s -> s.term() > before && s.leader() != 0)));
    }

    /// All of them serve, in one term, under one leader, and have the same history.
    void agree() {
        check("all members follow one leader", true, reaches(() -> {
            List<Status> all = statuses().toList();
            return all.size() == endpoints.size() && Set.copyOf(all).size() == 1 && all.getFirst().leader() != 0;
        }));
        long revision = get(client.getKVClient().get(bytes("x"))).getHeader().getRevision();
        Set<String> hashes = new HashSet<>();
        for (String endpoint : endpoints) {
            // A member that lags does not know the revision yet.
            var answer = eventually(() -> maintenance.hashKV(endpoint, revision));
            hashes.add(answer.getHash() + " " + answer.getCompacted());
        }
        check("hashes agree", 1, hashes.size());
    }
}
