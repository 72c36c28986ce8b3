package dev.etcdj.server.metrics;

import dev.etcdj.server.peer.PeerMetrics;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// What travels between members and to clients (etcd_network_*). Any thread.
public final class NetworkMetrics implements PeerMetrics {
  /// Senders counted one by one; what more of them there are is counted as sender 0.
  private static final int MAX_PEERS = 256;

  private static final double[] ROUND_TRIP = Histogram.exponential(0.0001, 2, 16);
  private static final double[] TRANSFER = Histogram.exponential(0.1, 2, 10);

  /// Bytes of gRPC messages and their frames, as they were sent to clients.
  public final Counter clientSentBytes;

  /// Bytes of gRPC messages and their frames, as they came from clients.
  public final Counter clientReceivedBytes;

  /// Streams of this server that broke: Type receive or send, API watch or lease-keepalive.
  public final Vec<Counter> serverStreamFailures;

  private final String local;
  private final Vec<Gauge> active;
  private final Vec<Gauge> known;
  private final Vec<Counter> disconnected;
  private final Vec<Counter> sentBytes;
  private final Vec<Counter> receivedBytes;
  private final Vec<Counter> sentFailures;
  private final Vec<Counter> receivedFailures;
  private final Vec<Histogram> roundTrip;
  private final Vec<Gauge> sendInflights;
  private final Vec<Counter> sendSuccess;
  private final Vec<Counter> sendFailures;
  private final Vec<Histogram> sendDuration;
  private final Vec<Gauge> receiveInflights;
  private final Vec<Counter> receiveSuccess;
  private final Vec<Counter> receiveFailures;
  private final Vec<Histogram> receiveDuration;
  private final Map<Long, Peer> peers = new ConcurrentHashMap<>();

  NetworkMetrics(Registry registry, long self) {
    local = Long.toHexString(self);
    String net = "etcd_network_";
    clientSentBytes =
        registry.counter(
            net + "client_grpc_sent_bytes_total",
            "The total number of bytes sent to grpc clients.");
    clientReceivedBytes =
        registry.counter(
            net + "client_grpc_received_bytes_total",
            "The total number of bytes received from grpc clients.");
    serverStreamFailures =
        registry.counters(
            net + "server_stream_failures_total",
            "The total number of stream failures from the local server.",
            "API",
            "Type");
    active =
        registry.gauges(
            net + "active_peers",
            "The current number of active peer connections.",
            "Local",
            "Remote");
    known =
        registry.gauges(
            net + "known_peers", "The current number of known peers.", "Local", "Remote");
    known.with(local, local).set(1);
    disconnected =
        registry.counters(
            net + "disconnected_peers_total",
            "The total number of disconnected peers.",
            "Local",
            "Remote");
    sentBytes =
        registry.counters(
            net + "peer_sent_bytes_total", "The total number of bytes sent to peers.", "To");
    receivedBytes =
        registry.counters(
            net + "peer_received_bytes_total",
            "The total number of bytes received from peers.",
            "From");
    sentFailures =
        registry.counters(
            net + "peer_sent_failures_total",
            "The total number of send failures from peers.",
            "To");
    receivedFailures =
        registry.counters(
            net + "peer_received_failures_total",
            "The total number of receive failures from peers.",
            "From");
    roundTrip =
        registry.histograms(
            net + "peer_round_trip_time_seconds",
            "Round-Trip-Time histogram between peers",
            Histogram.SECONDS,
            ROUND_TRIP,
            "To");
    sendInflights =
        registry.gauges(
            net + "snapshot_send_inflights_total", "Total number of inflight snapshot sends", "To");
    sendSuccess =
        registry.counters(
            net + "snapshot_send_success", "Total number of successful snapshot sends", "To");
    sendFailures =
        registry.counters(
            net + "snapshot_send_failures", "Total number of snapshot send failures", "To");
    sendDuration =
        registry.histograms(
            net + "snapshot_send_total_duration_seconds",
            "Total latency distributions of v3 snapshot sends",
            Histogram.SECONDS,
            TRANSFER,
            "To");
    receiveInflights =
        registry.gauges(
            net + "snapshot_receive_inflights_total",
            "Total number of inflight snapshot receives",
            "From");
    receiveSuccess =
        registry.counters(
            net + "snapshot_receive_success",
            "Total number of successful snapshot receives",
            "From");
    receiveFailures =
        registry.counters(
            net + "snapshot_receive_failures", "Total number of snapshot receive failures", "From");
    receiveDuration =
        registry.histograms(
            net + "snapshot_receive_total_duration_seconds",
            "Total latency distributions of v3 snapshot receives",
            Histogram.SECONDS,
            TRANSFER,
            "From");
  }

  @Override
  public ForPeer peer(long id) {
    Peer peer = peers.get(id);
    if (peer == null) {
      long counted = peers.size() < MAX_PEERS ? id : 0;
      peer = peers.computeIfAbsent(counted, any -> new Peer(Long.toHexString(counted)));
    }
    return peer;
  }

  /// Counters of one peer. The frequent ones are looked up once; the rest appear on first use, so
  /// that a healthy member shows no failures.
  private final class Peer implements ForPeer {
    private final String id;
    private final Counter sent;
    private final Counter received;

    Peer(String id) {
      this.id = id;
      this.sent = sentBytes.with(id);
      this.received = receivedBytes.with(id);
    }

    @Override
    public void sentBytes(long bytes) {
      sent.add(bytes);
    }

    @Override
    public void receivedBytes(long bytes) {
      received.add(bytes);
    }

    @Override
    public void sendFailed() {
      sentFailures.with(id).increment();
    }

    @Override
    public void receiveFailed() {
      receivedFailures.with(id).increment();
    }

    @Override
    public void active(boolean connected) {
      active.with(local, id).set(connected ? 1 : 0);
    }

    @Override
    public void disconnected() {
      disconnected.with(local, id).increment();
    }

    @Override
    public void known(boolean member) {
      known.with(local, id).set(member ? 1 : 0);
    }

    @Override
    public void roundTrip(long nanos) {
      roundTrip.with(id).observe(nanos);
    }

    @Override
    public void snapshotSending(int change) {
      sendInflights.with(id).add(change);
    }

    @Override
    public void snapshotSent(boolean failed, long nanos) {
      (failed ? sendFailures : sendSuccess).with(id).increment();
      if (!failed) {
        sendDuration.with(id).observe(nanos);
      }
    }

    @Override
    public void snapshotReceiving(int change) {
      receiveInflights.with(id).add(change);
    }

    @Override
    public void snapshotReceived(boolean failed, long nanos) {
      (failed ? receiveFailures : receiveSuccess).with(id).increment();
      if (!failed) {
        receiveDuration.with(id).observe(nanos);
      }
    }
  }
}
