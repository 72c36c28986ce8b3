package dev.etcdj.server.peer;

import dev.etcdj.mvcc.backend.WriteUnit;
import dev.etcdj.proto.membershippb.ClusterMemberAttrSetRequest;
import dev.etcdj.proto.membershippb.ClusterVersionSetRequest;
import dev.etcdj.raft.ConfChange;
import dev.etcdj.raft.log.Bytes;
import dev.etcdj.raft.log.ConfState;
import dev.etcdj.raft.log.Snapshot;
import dev.etcdj.raft.message.Message;
import dev.etcdj.server.http.EventLoops;
import dev.etcdj.server.http.Versions;
import dev.etcdj.server.membership.Member;
import dev.etcdj.server.membership.Membership;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// A transport and a peer port on real sockets, with everything behind them recorded.
final class TestMember implements PeerEvents, AutoCloseable {
  static final long CLUSTER = 0xc1057e7L;

  final long id;
  final EventLoops loops = new EventLoops("test-peer", 2);
  final HttpPeerTransport transport;
  final PeerServer server;
  final URI url;
  final BlockingQueue<Message> inbox = new LinkedBlockingQueue<>();
  final AtomicInteger unreachable = new AtomicInteger();
  final AtomicInteger removedCalls = new AtomicInteger();
  final BlockingQueue<Boolean> snapshotsSent = new LinkedBlockingQueue<>();
  final BlockingQueue<String> snapshotsReceived = new LinkedBlockingQueue<>();
  final Set<Long> removed = ConcurrentHashMap.newKeySet();
  volatile boolean busy;
  volatile long snapshotBytes = 1 << 20;
  volatile long announcedBytes = -1;
  volatile boolean failToStore;

  TestMember(long id) {
    this(id, 0);
  }

  TestMember(long id, int port) {
    this.id = id;
    this.transport =
        new HttpPeerTransport(
            new PeerIdentity(id, CLUSTER, "3.7.1", List.of("http://127.0.0.1:" + port)),
            this,
            PeerMetrics.NONE,
            loops,
            2000,
            System::nanoTime,
            InstantSource.system());
    this.server = new PeerServer(loops, transport, new Members(), new TestVersions());
    try {
      InetSocketAddress bound =
          server.listen(List.of(URI.create("http://127.0.0.1:" + port))).getFirst();
      this.url = URI.create("http://127.0.0.1:" + bound.getPort());
    } catch (IOException failure) {
      throw new IllegalStateException(failure);
    }
  }

  Membership membership() {
    return new Members();
  }

  Versions versions() {
    return new TestVersions();
  }

  void knows(TestMember other) {
    transport.addPeer(other.id, List.of(other.url.toString()));
  }

  /// The next message that is none of the probes a test sends to find a link up.
  Message next() throws InterruptedException {
    Message message = inbox.poll(10, TimeUnit.SECONDS);
    if (message == null) {
      throw new AssertionError("no message within 10 s");
    }
    return message;
  }

  @Override
  public int received(List<Message> messages) {
    if (busy) {
      return 0;
    }
    inbox.addAll(messages);
    return messages.size();
  }

  @Override
  public void unreachable(long id) {
    unreachable.incrementAndGet();
  }

  @Override
  public void snapshotSent(long id, boolean failed) {
    snapshotsSent.add(!failed);
  }

  @Override
  public void receiveSnapshot(long index, InputStream contents) throws IOException {
    if (failToStore) {
      throw new IOException("no room");
    }
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      byte[] buffer = new byte[8192];
      long bytes = 0;
      for (int count = contents.read(buffer); count >= 0; count = contents.read(buffer)) {
        digest.update(buffer, 0, count);
        bytes += count;
      }
      snapshotsReceived.add(index + " " + bytes + " " + HexFormat.of().formatHex(digest.digest()));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  @Override
  public CompletableFuture<SnapshotSource> openSnapshot() {
    return CompletableFuture.completedFuture(new TestSnapshot(snapshotBytes, announcedBytes));
  }

  @Override
  public void removedFromCluster() {
    removedCalls.incrementAndGet();
  }

  @Override
  public void close() {
    transport.close();
    server.close();
    loops.close();
  }

  /// Reproducible contents of any length.
  record TestSnapshot(long length, long announced) implements SnapshotSource {
    static final Snapshot METADATA =
        new Snapshot(77, 5, ConfState.ofVoters(List.of(1L, 2L, 3L)), Bytes.EMPTY);

    @Override
    public Snapshot metadata() {
      return METADATA;
    }

    @Override
    public long bytes() {
      return announced < 0 ? length : announced;
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
      Random random = new Random(7);
      byte[] piece = new byte[10_007];
      for (long left = length; left > 0; left -= piece.length) {
        random.nextBytes(piece);
        out.write(piece, 0, (int) Math.min(left, piece.length));
      }
    }

    String digest() {
      try {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        writeTo(
            new OutputStream() {
              @Override
              public void write(int value) {
                digest.update((byte) value);
              }

              @Override
              public void write(byte[] bytes, int offset, int count) {
                digest.update(bytes, offset, count);
              }
            });
        return HexFormat.of().formatHex(digest.digest());
      } catch (NoSuchAlgorithmException | IOException impossible) {
        throw new IllegalStateException(impossible);
      }
    }

    @Override
    public void close() {}
  }

  private record TestVersions() implements Versions {
    @Override
    public String server() {
      return "3.7.1";
    }

    @Override
    public @Nullable String cluster() {
      return null;
    }

    @Override
    public @Nullable String storage() {
      return "3.7.0";
    }
  }

  /// As much of the member list as the peer port reads.
  private final class Members implements Membership {
    @Override
    public long self() {
      return id;
    }

    @Override
    public long clusterId() {
      return CLUSTER;
    }

    @Override
    public List<Member> members() {
      return List.of(
          new Member(1, "one", List.of("http://a:1"), List.of("http://a:2"), false),
          new Member(-2L, "", List.of("http://<b>:1"), List.of(), true));
    }

    @Override
    public @Nullable Member member(long id) {
      return null;
    }

    @Override
    public boolean isRemoved(long id) {
      return removed.contains(id);
    }

    @Override
    public @Nullable String clusterVersion() {
      return null;
    }

    @Override
    public Applied apply(ConfChange change, WriteUnit unit) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void apply(ClusterMemberAttrSetRequest request, WriteUnit unit) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void apply(ClusterVersionSetRequest request, WriteUnit unit) {
      throw new UnsupportedOperationException();
    }
  }
}
