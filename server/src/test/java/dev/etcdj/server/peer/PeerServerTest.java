package dev.etcdj.server.peer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.etcdj.raft.log.Bytes;
import dev.etcdj.raft.message.Message;
import dev.etcdj.server.http.HttpReply;
import java.io.IOException;
import java.io.InputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The receiver's checks one by one (peer protocol §3.3), and what strange or stalled peers can
/// and cannot do. Status lines and texts as in http.tsv.
@Timeout(60)
class PeerServerTest {
  private final TestMember member = new TestMember(0xb1);

  @AfterEach
  void close() {
    member.close();
  }

  /// A well-formed request, of which a test changes one thing.
  private final class Request {
    String method = "GET";
    String path = "/raft/stream/message/a1";
    String version = "X-Server-Version: 3.7.1\r\n";
    String minimum = "X-Min-Cluster-Version: 3.0.0\r\n";
    String cluster = "X-Etcd-Cluster-ID: " + Long.toHexString(TestMember.CLUSTER) + "\r\n";
    String to = "X-Raft-To: b1\r\n";
    String urls = "";
    byte[] body = new byte[0];

    String send() throws IOException {
      try (Socket socket = new Socket("127.0.0.1", member.url.getPort())) {
        socket.setSoTimeout(10_000);
        String head =
            method
                + " "
                + path
                + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                + "X-Server-From: a1\r\n"
                + version
                + minimum
                + cluster
                + to
                + urls
                + (method.equals("POST") ? "Content-Length: " + body.length + "\r\n" : "")
                + "\r\n";
        socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().write(body);
        return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
      }
    }

    void expect(int status, String body) throws IOException {
      String answer = send();
      assertTrue(answer.startsWith("HTTP/1.1 " + status + " "), answer);
      assertEquals(body, answer.substring(answer.indexOf("\r\n\r\n") + 4));
      if (status != 405) {
        assertTrue(
            answer.contains("\r\nX-Etcd-Cluster-ID: " + Long.toHexString(TestMember.CLUSTER)),
            answer);
      }
    }
  }

  @Test
  void streamsAreCheckedInOrder() throws IOException {
    member.transport.addPeer(0xa1, List.of("http://127.0.0.1:1"));
    Request wrongMethod = new Request();
    wrongMethod.method = "POST";
    wrongMethod.expect(405, "Method Not Allowed\n");

    // CLUS-111: a missing version counts as 2.0.0; only major and minor are compared.
    for (String version : List.of("", "X-Server-Version: 2.3.9\r\n", "X-Server-Version: x\r\n")) {
      Request request = new Request();
      request.version = version;
      request.cluster = "";
      request.expect(412, "incompatible version\n");
    }
    Request newer = new Request();
    newer.minimum = "X-Min-Cluster-Version: 3.8.0\r\n";
    newer.expect(412, "incompatible version\n");

    // CLUS-112
    Request cluster = new Request();
    cluster.cluster = "X-Etcd-Cluster-ID: 1\r\n";
    cluster.path = "/raft/stream/nonsense/zz";
    cluster.expect(412, "cluster ID mismatch\n");

    Request kind = new Request();
    kind.path = "/raft/stream/nonsense/zz";
    kind.expect(404, "invalid path\n");
    Request from = new Request();
    from.path = "/raft/stream/message/zz";
    from.expect(404, "invalid from\n");
    Request to = new Request();
    to.to = "X-Raft-To: 99\r\n";
    to.expect(412, "to field mismatch\n");
    Request removed = new Request();
    removed.path = "/raft/stream/msgapp/c1";
    removed.to = "";
    member.removed.add(0xc1L);
    removed.expect(410, "removed member\n");
  }

  @Test
  void anUnknownSenderOfAStreamIsRememberedWhenItNamesItsUrls() throws IOException {
    // CLUS-113
    Request silent = new Request();
    silent.expect(404, "error sender not found\n");
    assertEquals(null, member.transport.find(0xa1));
    Request named = new Request();
    named.urls = "X-PeerURLs: http://127.0.0.1:1,http://127.0.0.1:2\r\n";
    named.expect(404, "error sender not found\n");
    assertNotNull(member.transport.find(0xa1));
    named.expect(404, "error sender not found\n");
    named.urls = "X-PeerURLs: not a url\r\n";
    named.path = "/raft/stream/message/a2";
    named.expect(404, "error sender not found\n");
  }

  @Test
  void rememberedSendersAreBounded() throws IOException {
    for (int i = 1; i <= HttpPeerTransport.MAX_REMOTES + 20; i++) {
      Request request = new Request();
      request.path = "/raft/stream/message/" + Integer.toHexString(0x1000 + i);
      request.urls = "X-PeerURLs: http://127.0.0.1:1\r\n";
      request.send();
    }
    assertNotNull(member.transport.find(0x1000 + HttpPeerTransport.MAX_REMOTES));
    assertEquals(null, member.transport.find(0x1000 + HttpPeerTransport.MAX_REMOTES + 1));
  }

  @Test
  void messagesAreChecked() throws IOException {
    Request garbage = post("/raft", new byte[] {-1, -1, -1});
    garbage.expect(400, "error unmarshalling raft message\n");
    post("/raft", RaftCodecTest.encode(heartbeat(0xa1, 0x77)))
        .expect(403, "{\"message\":\"cannot process message to mismatch member\"}");
    member.removed.add(0xc1L);
    post("/raft", RaftCodecTest.encode(heartbeat(0xc1, 0xb1)))
        .expect(403, "{\"message\":\"cannot process message from removed member\"}");
    Request cluster = post("/raft", RaftCodecTest.encode(heartbeat(0xa1, 0xb1)));
    cluster.cluster = "";
    cluster.expect(412, "cluster ID mismatch\n");
    assertTrue(member.inbox.isEmpty());
    post("/raft", RaftCodecTest.encode(heartbeat(0xa1, 0xb1))).expect(204, "");
    assertEquals(heartbeat(0xa1, 0xb1), member.inbox.poll());
    member.busy = true;
    post("/raft", RaftCodecTest.encode(heartbeat(0xa1, 0xb1)))
        .expect(500, "error processing raft message\n");
    Request get = new Request();
    get.path = "/raft";
    get.expect(405, "Method Not Allowed\n");
  }

  @Test
  void snapshotsAreChecked() throws IOException {
    post("/raft/snapshot", new byte[] {1, 2}).expect(400, "failed to decode raft message (null)\n");
    byte[] long64 = new byte[9];
    long64[0] = 1;
    assertTrue(post("/raft/snapshot", long64).send().contains("failed to decode raft message ("));
    byte[] message = RaftCodecTest.encode(heartbeat(0xa1, 0xb1));
    byte[] prefixed = new byte[8 + message.length];
    prefixed[7] = (byte) message.length;
    System.arraycopy(message, 0, prefixed, 8, message.length);
    post("/raft/snapshot", prefixed).expect(400, "wrong raft message type\n");
    assertTrue(member.snapshotsReceived.isEmpty());
    assertTrue(member.inbox.isEmpty());
  }

  @Test
  void theOpenPathsAnswerWithoutChecks() throws Exception {
    PeerClient client = member.transport.client();
    PeerClient.Response members = get(client, "/members");
    assertEquals(
        "[{\"id\":1,\"peerURLs\":[\"http://a:1\"],\"name\":\"one\",\"clientURLs\":[\"http://a:2\"]},"
            + "{\"id\":18446744073709551614,\"peerURLs\":[\"http://\\u003cb\\u003e:1\"],\"isLearner\":true}]\n",
        text(members));
    assertEquals("c1057e7", members.headers().get("X-Etcd-Cluster-ID"));
    assertEquals(
        "{\"etcdserver\":\"3.7.1\",\"etcdcluster\":\"not_decided\",\"storage\":\"3.7.0\"}",
        text(get(client, "/version")));
    assertTrue(text(get(client, "/raft/probing")).startsWith("{\"OK\":true,\"Now\":\"20"));
    assertEquals(404, get(client, "/nope").status());
    member.server.addHandler(
        "POST", "/members/promote/", call -> done(HttpReply.json(200, call.path())));
    assertEquals(
        "/members/promote/17",
        text(client.call(member.url, "POST", "/members/promote/17", new byte[3], "", 0, 99).get()));
    assertEquals(
        413,
        client
            .call(member.url, "POST", "/members/promote/17", new byte[65 << 10], "", 0, 99)
            .get()
            .status());
  }

  @Test
  void callsEndInTimeAndWithinTheirBound() {
    PeerClient client = member.transport.client();
    member.server.addHandler("GET", "/never", call -> new CompletableFuture<>());
    member.server.addHandler("GET", "/long", call -> done(HttpReply.json(200, "x".repeat(1000))));
    ExecutionException late =
        assertThrows(
            ExecutionException.class,
            () -> client.call(member.url, "GET", "/never", new byte[0], "", 100_000_000, 99).get());
    assertTrue(late.getCause() instanceof TimeoutException, late.toString());
    ExecutionException large =
        assertThrows(
            ExecutionException.class,
            () -> client.call(member.url, "GET", "/long", new byte[0], "", 0, 999).get());
    assertTrue(large.getCause() instanceof IOException, large.toString());
    ExecutionException nobody =
        assertThrows(
            ExecutionException.class,
            () ->
                client
                    .call(URI.create("http://127.0.0.1:1"), "GET", "/", new byte[0], "", 0, 9)
                    .get());
    assertTrue(nobody.getCause() instanceof IOException, nobody.toString());
  }

  @Test
  void garbageOnThePortHurtsNobody() throws Exception {
    Random random = new Random(9);
    for (int i = 0; i < 100; i++) {
      try (Socket socket = new Socket("127.0.0.1", member.url.getPort())) {
        byte[] garbage = new byte[1 + random.nextInt(500)];
        random.nextBytes(garbage);
        socket.getOutputStream().write(garbage);
      }
    }
    assertEquals(200, get(member.transport.client(), "/version").status());
  }

  @Test
  void aReaderThatStallsCostsBoundedMemoryAndIsReported() throws Exception {
    member.transport.addPeer(0xa1, List.of("http://127.0.0.1:1"));
    try (Socket stalled = new Socket()) {
      stalled.setReceiveBufferSize(16 << 10);
      stalled.connect(new java.net.InetSocketAddress("127.0.0.1", member.url.getPort()));
      stalled
          .getOutputStream()
          .write(
              ("GET /raft/stream/msgapp/a1 HTTP/1.1\r\nHost: x\r\nX-Server-Version: 3.7.1\r\n"
                      + "X-Min-Cluster-Version: 3.0.0\r\nX-Etcd-Cluster-ID: c1057e7\r\n"
                      + "X-Raft-To: b1\r\n\r\n")
                  .getBytes(StandardCharsets.US_ASCII));
      byte[] status = new byte[15];
      stalled.getInputStream().readNBytes(status, 0, 15);
      assertEquals("HTTP/1.1 200 OK", new String(status, StandardCharsets.US_ASCII));
      RemotePeer peer = Objects.requireNonNull(member.transport.find(0xa1));
      HttpPeerTransportTest.await(() -> peer.streamsOpen() == 1, "the stream is attached");
      // A quarter of a gigabyte, of which only what is bounded may be kept.
      List<Message> batch = new ArrayList<>();
      for (int i = 0; i < 16; i++) {
        batch.add(
            new Message.Append(
                0xb1, 0xa1, 3, 3, i, HttpPeerTransportTest.entries(3, i, 1, 1 << 20), i));
      }
      long unreachableBefore = member.unreachable.get();
      for (int i = 0; i < 16; i++) {
        member.transport.send(batch);
      }
      OutgoingStream stream = Objects.requireNonNull(peer.appendStream());
      assertTrue(stream.queuedBytes() <= OutgoingStream.MAX_QUEUED_BYTES);
      assertTrue(member.unreachable.get() > unreachableBefore);
      // LIM-44: nothing was written for 5 s, so the stream ends.
      HttpPeerTransportTest.await(() -> peer.streamsOpen() == 0, "write timeout");
    }
  }

  @Test
  void anIdleConnectionIsClosedAfterTheReadTimeout() throws IOException {
    try (Socket idle = new Socket("127.0.0.1", member.url.getPort())) {
      idle.setSoTimeout(15_000);
      InputStream in = idle.getInputStream();
      assertEquals(-1, in.read());
    }
  }

  @Test
  void anAddressInUseIsNamed() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, java.net.InetAddress.getLoopbackAddress());
        PeerServer second =
            new PeerServer(
                member.loops, member.transport, member.membership(), member.versions())) {
      IOException failure =
          assertThrows(
              IOException.class,
              () -> second.listen(List.of(URI.create("http://127.0.0.1:" + taken.getLocalPort()))));
      assertTrue(
          String.valueOf(failure.getMessage()).contains("127.0.0.1:" + taken.getLocalPort()),
          failure.toString());
    }
  }

  private Request post(String path, byte[] body) {
    Request request = new Request();
    request.method = "POST";
    request.path = path;
    request.to = "";
    request.body = body;
    return request;
  }

  private static Message.Heartbeat heartbeat(long from, long to) {
    return new Message.Heartbeat(from, to, 3, 1, Bytes.EMPTY);
  }

  private PeerClient.Response get(PeerClient client, String path) throws Exception {
    return client.call(member.url, "GET", path, new byte[0], "", 5_000_000_000L, 1 << 20).get();
  }

  private static String text(PeerClient.Response response) {
    return new String(response.body(), StandardCharsets.UTF_8);
  }

  private static CompletableFuture<HttpReply> done(HttpReply reply) {
    return CompletableFuture.completedFuture(reply);
  }
}
