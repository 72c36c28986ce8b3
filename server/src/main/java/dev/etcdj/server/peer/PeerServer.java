package dev.etcdj.server.peer;

import dev.etcdj.server.http.EventLoops;
import dev.etcdj.server.http.HttpReply;
import dev.etcdj.server.http.HttpServerHandler;
import dev.etcdj.server.http.Json;
import dev.etcdj.server.http.Listener;
import dev.etcdj.server.http.Route;
import dev.etcdj.server.http.Router;
import dev.etcdj.server.http.Site;
import dev.etcdj.server.http.Versions;
import dev.etcdj.server.membership.Member;
import dev.etcdj.server.membership.Membership;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/// The peer port: raft traffic, the member list and the version, and what other packages add
/// (CLUS-114). One per member, on all its peer URLs.
public final class PeerServer implements AutoCloseable {
  /// A connection that owes bytes this long is closed (LIM-44).
  static final long READ_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(5);

  private static final int DEFAULT_BODY_BYTES = 64 << 10;

  private final EventLoops loops;
  private final Router router = new Router();
  private final List<Listener> listeners = new ArrayList<>();

  /// @param transport takes over the streams that peers open
  public PeerServer(
      EventLoops loops, HttpPeerTransport transport, Membership membership, Versions versions) {
    this.loops = loops;
    new RaftRoutes(transport, membership).addTo(router);
    router.add("GET", "/version", versions.route());
    String cluster = Long.toHexString(membership.clusterId());
    addHandler(
        "GET",
        "/members",
        call ->
            CompletableFuture.completedFuture(
                members(membership.members()).with(PeerIdentity.CLUSTER_ID, cluster)));
  }

  /// Serves one more path, with bodies of up to 64 KiB (LIM-65). The handler runs on an event loop
  /// and must not block; a path that ends in a slash stands for all below it.
  public void addHandler(String method, String path, Route.Handler handler) {
    addHandler(method, path, DEFAULT_BODY_BYTES, handler);
  }

  /// As the shorter form, with another bound on the body.
  public void addHandler(String method, String path, int maxBodyBytes, Route.Handler handler) {
    router.add(method, path, new Route.Buffered(maxBodyBytes, handler));
  }

  /// Begins to listen.
  ///
  /// @return the addresses, in the order of the URLs, with real ports in place of port 0
  /// @throws IOException when one cannot be listened on; then none is
  public List<InetSocketAddress> listen(List<URI> urls) throws IOException {
    try {
      Site site = new Site(router, List.of(), false, READ_TIMEOUT_NANOS);
      for (URI url : urls) {
        listeners.add(Listener.open(loops, url, ctx -> HttpServerHandler.install(ctx, site)));
      }
    } catch (IOException | RuntimeException failure) {
      close();
      throw failure;
    }
    return listeners.stream().map(Listener::address).toList();
  }

  /// The member list as joining members read it (CLUS-115).
  public static HttpReply members(List<Member> members) {
    StringBuilder json = new StringBuilder("[");
    for (Member member : members) {
      json.append(json.length() > 1 ? "," : "")
          .append("{\"id\":")
          .append(Long.toUnsignedString(member.id()))
          .append(",\"peerURLs\":")
          .append(Json.array(member.peerUrls()));
      if (member.learner()) {
        json.append(",\"isLearner\":true");
      }
      if (!member.name().isEmpty()) {
        json.append(",\"name\":").append(Json.quote(member.name()));
      }
      if (!member.clientUrls().isEmpty()) {
        json.append(",\"clientURLs\":").append(Json.array(member.clientUrls()));
      }
      json.append('}');
    }
    return HttpReply.of(
        200, "application/json", json.append("]\n").toString().getBytes(StandardCharsets.UTF_8));
  }

  /// Stops listening and closes all accepted connections. The event loops are the caller's.
  @Override
  public void close() {
    listeners.forEach(Listener::close);
    listeners.clear();
  }
}
