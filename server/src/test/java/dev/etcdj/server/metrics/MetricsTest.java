package dev.etcdj.server.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.etcdj.proto.etcdserverpb.KVGrpc;
import dev.etcdj.proto.etcdserverpb.WatchGrpc;
import dev.etcdj.server.peer.PeerMetrics;
import io.grpc.Metadata;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// The text of `/metrics` against what real etcd 3.7.1 members printed: the resource holds the
/// heads (name, type, help) of three members with `--metrics=extensive`, Go's own left out.
class MetricsTest {
  private final Metrics metrics =
      new Metrics(
          new Metrics.About(
              0xabc, "3.7.1", "0.1.0", () -> "3.7", Map.of("LeaseCheckpoint/ALPHA", false), true),
          () -> 0);

  @AfterEach
  void close() {
    metrics.close();
  }

  @Test
  void everyNameOfEtcdIsThereWithItsTypeAndHelp() throws IOException {
    touchEverything();
    Set<String> ours = Set.copyOf(metrics.print().lines().toList());
    List<String> missing = new ArrayList<>();
    try (InputStream heads = MetricsTest.class.getResourceAsStream("etcd-3.7.1-heads.txt")) {
      String text =
          new String(Objects.requireNonNull(heads).readAllBytes(), StandardCharsets.UTF_8);
      text.lines().filter(head -> !ours.contains(head)).forEach(missing::add);
    }
    assertEquals(List.of(), missing);
  }

  private void touchEverything() {
    metrics.grpc().serve(List.of(new KVGrpc.KVImplBase() {}.bindService()));
    PeerMetrics.ForPeer peer = metrics.network().peer(1);
    peer.known(true);
    peer.active(true);
    peer.disconnected();
    peer.sendFailed();
    peer.receiveFailed();
    peer.roundTrip(1);
    peer.snapshotSending(1);
    peer.snapshotSent(false, 1);
    peer.snapshotSent(true, 1);
    peer.snapshotReceiving(1);
    peer.snapshotReceived(false, 1);
    peer.snapshotReceived(true, 1);
    metrics.check("livez", "serializable_read", true);
    metrics.server().applyDuration.with("v3", "Put", "true").observe(1);
    metrics.server().rangeDuration.with("true").observe(1);
    metrics.server().requestDuration.with("Put", "true").observe(1);
    metrics.grpc().newServerStreamTracer("etcdserverpb.KV/Range", new Metadata());
  }

  @Test
  void linesThatScriptsCompareAreExact() {
    // logs.md section 3: exact lines; metrics.tsv: label order.
    metrics.storage().mvccPut.add(2);
    metrics.storage().mvccKeys.set(1);
    metrics.server().isLearner.bind(() -> 1);
    metrics.server().quotaBackendBytes.set(2147483648L);
    metrics.server().applyDuration.with("v3", "Put", "true").observe(200_001);
    metrics.check("readyz", "linearizable_read", false);
    Set<String> lines = Set.copyOf(metrics.print().lines().toList());
    for (String line :
        List.of(
            "etcd_mvcc_put_total 2",
            "etcd_debugging_mvcc_keys_total 1",
            "etcd_server_version{server_version=\"3.7.1\"} 1",
            "etcd_cluster_version{cluster_version=\"3.7\"} 1",
            "etcd_server_id{server_id=\"abc\"} 1",
            "etcd_server_is_learner 1",
            "etcd_server_learner_promote_successes 0",
            "etcd_server_quota_backend_bytes 2.147483648e+09",
            "etcd_server_feature_enabled{name=\"LeaseCheckpoint\",stage=\"ALPHA\"} 0",
            "etcd_server_healthcheck{name=\"linearizable_read\",type=\"readyz\"} 0",
            "etcd_server_healthchecks_total{name=\"linearizable_read\",status=\"error\",type=\"readyz\"} 1",
            "etcd_network_known_peers{Local=\"abc\",Remote=\"abc\"} 1",
            "etcd_server_apply_duration_seconds_bucket{op=\"Put\",success=\"true\",version=\"v3\",le=\"0.0002\"} 0",
            "etcd_server_apply_duration_seconds_bucket{op=\"Put\",success=\"true\",version=\"v3\",le=\"0.0004\"} 1",
            "etcd_server_apply_duration_seconds_sum{op=\"Put\",success=\"true\",version=\"v3\"} 0.000200001",
            "etcd_debugging_lease_ttl_total_bucket{le=\"8.388608e+06\"} 0",
            "etcd_disk_wal_fsync_duration_seconds_bucket{le=\"8.192\"} 0",
            "etcd_disk_wal_fsync_duration_seconds_bucket{le=\"+Inf\"} 0")) {
      assertTrue(lines.contains(line), line);
    }
    assertFalse(
        lines.stream().anyMatch(line -> line.startsWith("etcd_network_peer_sent_failures")));
  }

  @Test
  void callsAreCountedByMethodAndOutcome() {
    metrics
        .grpc()
        .serve(
            List.of(
                new KVGrpc.KVImplBase() {}.bindService(),
                new WatchGrpc.WatchImplBase() {}.bindService()));
    Metadata headers = new Metadata();
    headers.put(Metadata.Key.of("client-api-version", Metadata.ASCII_STRING_MARSHALLER), "3.7");
    ServerStreamTracer watch =
        metrics.grpc().newServerStreamTracer("etcdserverpb.Watch/Watch", headers);
    watch.inboundMessage(0);
    watch.inboundWireSize(100);
    watch.outboundMessage(0);
    watch.outboundMessage(1);
    watch.outboundWireSize(7);
    metrics.grpc().sentAlong("etcdserverpb.Watch/Watch", 3, 30);
    watch.streamClosed(Status.CANCELLED);
    metrics.grpc().newServerStreamTracer("unknown/Method", headers).outboundWireSize(3);
    Set<String> lines = Set.copyOf(metrics.print().lines().toList());
    String of =
        "grpc_method=\"Watch\",grpc_service=\"etcdserverpb.Watch\",grpc_type=\"bidi_stream\"} ";
    for (String line :
        List.of(
            "grpc_server_started_total{" + of + "1",
            "grpc_server_msg_received_total{" + of + "1",
            "grpc_server_msg_sent_total{" + of + "5",
            "grpc_server_handled_total{grpc_code=\"Canceled\"," + of + "1",
            "grpc_server_handled_total{grpc_code=\"OK\"," + of + "0",
            "grpc_server_started_total{grpc_method=\"Put\",grpc_service=\"etcdserverpb.KV\",grpc_type=\"unary\"} 0",
            "etcd_server_client_requests_total{client_api_version=\"3.7\",type=\"stream\"} 1",
            "etcd_network_client_grpc_received_bytes_total 100",
            "etcd_network_client_grpc_sent_bytes_total 40")) {
      assertTrue(lines.contains(line), line);
    }
  }

  @Test
  void labelsThatOthersChooseAreBounded() {
    metrics.grpc().serve(List.of(new KVGrpc.KVImplBase() {}.bindService()));
    for (int i = 0; i < 5000; i++) {
      Metadata headers = new Metadata();
      headers.put(Metadata.Key.of("client-api-version", Metadata.ASCII_STRING_MARSHALLER), "v" + i);
      metrics.grpc().newServerStreamTracer("etcdserverpb.KV/Range", headers);
      metrics.network().peer(i).sentBytes(1);
    }
    String text = metrics.print();
    assertTrue(
        text.lines().filter(line -> line.startsWith("etcd_server_client_requests_total")).count()
            <= 513);
    assertTrue(
        text.lines().filter(line -> line.startsWith("etcd_network_peer_sent_bytes_total")).count()
            <= 257);
  }

  @Test
  void numbersReadAsGoWritesThem() {
    // Printed by Go's strconv.FormatFloat(f, 'g', -1, 64).
    Map<Double, String> expected =
        Map.ofEntries(
            Map.entry(0.0, "0"),
            Map.entry(1.0, "1"),
            Map.entry(100000.0, "100000"),
            Map.entry(999999.0, "999999"),
            Map.entry(1000000.0, "1e+06"),
            Map.entry(1234567.0, "1.234567e+06"),
            Map.entry(1234567.5, "1.2345675e+06"),
            Map.entry(0.0001, "0.0001"),
            Map.entry(0.00001, "1e-05"),
            Map.entry(0.00012345, "0.00012345"),
            Map.entry(123456.789, "123456.789"),
            Map.entry(1e21, "1e+21"),
            Map.entry(0.11758982200000001, "0.11758982200000001"),
            Map.entry(-2.5, "-2.5"));
    expected.forEach((number, text) -> assertEquals(text, GoNumber.print(number)));
  }
}
