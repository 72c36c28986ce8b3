package dev.etcdj.server.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.etcdj.proto.etcdserverpb.InternalRaftRequest;
import dev.etcdj.proto.etcdserverpb.LeaseCheckpoint;
import dev.etcdj.proto.etcdserverpb.LeaseCheckpointRequest;
import dev.etcdj.proto.etcdserverpb.LeaseGrantRequest;
import dev.etcdj.proto.etcdserverpb.LeaseKeepAliveRequest;
import dev.etcdj.proto.etcdserverpb.LeaseKeepAliveResponse;
import dev.etcdj.proto.etcdserverpb.LeaseTimeToLiveRequest;
import dev.etcdj.proto.leasepb.LeaseInternalRequest;
import dev.etcdj.proto.leasepb.LeaseInternalResponse;
import dev.etcdj.proto.status.EtcdException;
import dev.etcdj.raft.ConfChange;
import dev.etcdj.raft.log.Bytes;
import dev.etcdj.raft.log.EntryType;
import dev.etcdj.server.apply.Machine;
import dev.etcdj.server.apply.ScriptedRaft;
import dev.etcdj.server.peer.RaftpbConfChangeCodec;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Guarantees how keepalives and time-to-live queries find a leader. Source: lease.md LEASE-40..66,
/// LEASE-90..92.
class LeaseRenewalsTest {
  private final Machine machine = new Machine().bootstrap();
  private final List<String> outcomes = new ArrayList<>();
  private final List<String> posts = new ArrayList<>();
  private LeaseForwarder forwarder = (_, _, _, _, answer) -> answer.done(0, new byte[0]);
  private final LeadershipCheck leadership =
      new LeadershipCheck(machine.raft, machine.reads, machine.nanos::get, Machine.SECOND / 10);
  private final LeaseRenewals renewals =
      new LeaseRenewals(
          new LeaseRenewals.Limits(7 * Machine.SECOND, Machine.SECOND),
          machine.lessor,
          machine.raft,
          machine.membership,
          leadership,
          machine.appliedWaits,
          machine.proposer,
          (url, path, body, nanos, answer) -> {
            posts.add(url + path);
            forwarder.post(url, path, body, nanos, answer);
          },
          machine.timers,
          machine.nanos::get);

  private void lead() {
    machine.raft.lead(2);
    machine.lessor.leadershipChanged(machine.raft.view());
    var _ = machine.raft.commitEmpty();
    machine.run();
  }

  private void follow(long leader) {
    machine.raft.follow(leader, 3);
    machine.lessor.leadershipChanged(machine.raft.view());
  }

  private void grant(long id, long ttl) {
    var _ =
        machine.proposer.propose(
            InternalRaftRequest.LEASE_GRANT_FIELD_NUMBER,
            LeaseGrantRequest.newBuilder().setID(id).setTTL(ttl).build(),
            _ -> {});
    machine.run();
  }

  private void keepAlive(long id) {
    renewals.keepAlive(
        id,
        new LeaseRenewals.KeepAliveCallback() {
          @Override
          public void renewed(long ttlSeconds) {
            outcomes.add("ttl " + ttlSeconds);
          }

          @Override
          public void failed(EtcdException why) {
            outcomes.add(why.text());
          }
        });
  }

  private void addLeaderTwo() {
    String context =
        "{\"id\":2,\"peerURLs\":[\"http://one:2380\",\"http://two:2380\"],\"name\":\"n\"}";
    machine.raft.commit(
        EntryType.CONF_CHANGE,
        new RaftpbConfChangeCodec()
            .encode(
                ConfChange.single(
                    ConfChange.Kind.ADD_NODE,
                    2,
                    0,
                    Bytes.wrap(context.getBytes(StandardCharsets.UTF_8)))));
    machine.run();
  }

  @Test
  void theLeaderAnswersAtOnce() {
    lead();
    grant(1, 10);
    keepAlive(1);
    keepAlive(9);
    assertEquals(List.of("ttl 10", "ttl 0"), outcomes);
  }

  @Test
  void anUnknownLeaseWaitsForWhatIsCommitted() {
    lead();
    long applied = machine.applier.appliedIndex();
    machine.raft.committed(applied + 1);
    keepAlive(1);
    assertEquals(List.of(), outcomes);
    // LEASE-50
    machine.advance(Machine.SECOND);
    assertEquals(
        List.of("etcdserver: request timed out, waiting for the applied index took too long"),
        outcomes);
    machine.raft.committed(applied);
    keepAlive(1);
    assertEquals("ttl 0", outcomes.getLast());
  }

  @Test
  void aStalledLeaderAsksTheQuorum() {
    lead();
    addLeaderTwo();
    grant(1, 10);
    machine.raft.lastTickNanos = machine.nanos.get() - Machine.SECOND;
    keepAlive(1);
    // LEASE-52
    assertEquals(List.of(), outcomes);
    assertEquals(1, machine.raft.readIndexes.size());
    machine.raft.follow(2, 2);
    machine.reads.leaderChanged();
    assertEquals(List.of("not a primary lessor"), outcomes);
  }

  @Test
  void aCheckpointIsResetFirst() {
    lead();
    grant(1, 1_000);
    var _ =
        machine.proposer.propose(
            InternalRaftRequest.LEASE_CHECKPOINT_FIELD_NUMBER,
            LeaseCheckpointRequest.newBuilder()
                .addCheckpoints(LeaseCheckpoint.newBuilder().setID(1).setRemainingTTL(300))
                .build(),
            _ -> {});
    machine.run();
    int before = machine.raft.log.size();
    keepAlive(1);
    assertEquals(List.of(), outcomes);
    machine.run();
    // LEASE-54
    assertEquals(List.of("ttl 1000"), outcomes);
    keepAlive(1);
    assertEquals(before + 1, machine.raft.log.size());
  }

  @Test
  void aFollowerTriesEachUrlInRounds() {
    addLeaderTwo();
    follow(2);
    keepAlive(1);
    assertEquals(List.of("http://one:2380/leases", "http://two:2380/leases"), posts);
    forwarder =
        (url, _, _, _, answer) -> {
          if (url.contains("two")) {
            answer.done(
                200, LeaseKeepAliveResponse.newBuilder().setID(1).setTTL(30).build().toByteArray());
          } else {
            answer.done(500, new byte[0]);
          }
        };
    assertEquals(List.of(), outcomes);
    // LEASE-55: after a pause.
    machine.advance(Machine.SECOND / 20);
    assertEquals(List.of("ttl 30"), outcomes);
    assertEquals(4, posts.size());
    // LEASE-92
    forwarder = (_, _, _, _, answer) -> answer.done(404, new byte[0]);
    keepAlive(1);
    assertEquals("ttl 0", outcomes.getLast());
    forwarder = (_, _, _, _, answer) -> answer.done(0, new byte[0]);
    keepAlive(1);
    for (int i = 0; i < 150; i++) {
      machine.advance(Machine.SECOND / 20);
    }
    // LEASE-43
    assertEquals("etcdserver: request timed out", outcomes.getLast());
    follow(0);
    keepAlive(1);
    for (int i = 0; i < 8; i++) {
      machine.advance(Machine.SECOND);
    }
    assertEquals("etcdserver: no leader", outcomes.getLast());
  }

  /// The two ends of a forward, joined without a network.
  @Test
  void theLeaderServesForwards() throws Exception {
    lead();
    grant(7, 60);
    byte[] keepAlive = LeaseKeepAliveRequest.newBuilder().setID(7).build().toByteArray();
    renewals.serveKeepAlive(keepAlive, this::record);
    assertEquals("200", outcomes.getLast());
    assertEquals(60, LeaseKeepAliveResponse.parseFrom(lastBody).getTTL());
    renewals.serveKeepAlive(
        LeaseKeepAliveRequest.newBuilder().setID(8).build().toByteArray(), this::record);
    assertEquals("404", outcomes.getLast());
    renewals.serveKeepAlive(new byte[] {-1}, this::record);
    assertEquals("400", outcomes.getLast());
    byte[] query =
        LeaseInternalRequest.newBuilder()
            .setLeaseTimeToLiveRequest(LeaseTimeToLiveRequest.newBuilder().setID(7).setKeys(true))
            .build()
            .toByteArray();
    renewals.serveInternal(query, this::record);
    assertEquals("200", outcomes.getLast());
    assertEquals(
        60, LeaseInternalResponse.parseFrom(lastBody).getLeaseTimeToLiveResponse().getGrantedTTL());
    machine.raft.committed(machine.applier.appliedIndex() + 1);
    renewals.serveInternal(query, this::record);
    machine.advance(Machine.SECOND);
    // LEASE-91
    assertEquals("408", outcomes.getLast());
    machine.raft.committed(machine.applier.appliedIndex());
    follow(2);
    renewals.serveInternal(query, this::record);
    assertEquals("500", outcomes.getLast());
    renewals.serveKeepAlive(keepAlive, this::record);
    assertEquals("400", outcomes.getLast());
  }

  private byte[] lastBody = new byte[0];

  private void record(int status, byte[] body) {
    outcomes.add("" + status);
    lastBody = body;
  }

  @Test
  void expiryRevokesThroughTheLog() {
    LeaseExpirer expirer =
        new LeaseExpirer(machine.lessor, leadership, machine.proposer, 7 * Machine.SECOND);
    expirer.start(machine.timers);
    lead();
    for (int id = 1; id <= 2_000; id++) {
      grant(id, 2);
    }
    machine.advance(2 * Machine.SECOND);
    for (int i = 0; i < 3; i++) {
      machine.run();
    }
    // All in one look: what is done makes room for the next.
    assertEquals(0, machine.lessor.count());
    assertEquals(ScriptedRaft.SELF, machine.raft.view().leader());
  }
}
