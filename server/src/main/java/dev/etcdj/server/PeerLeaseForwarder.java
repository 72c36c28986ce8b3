package dev.etcdj.server;

import dev.etcdj.server.http.HttpReply;
import dev.etcdj.server.lease.LeaseForwarder;
import dev.etcdj.server.lease.LeaseRenewals;
import dev.etcdj.server.peer.PeerClient;
import dev.etcdj.server.peer.PeerServer;
import java.net.URI;
import java.util.concurrent.CompletableFuture;

/// Lease calls between members, over the peer port (LEASE-90..92).
record PeerLeaseForwarder(PeerClient client) implements LeaseForwarder {
  private static final String PROTOBUF = "application/protobuf";
  private static final int MAX_ANSWER_BYTES = 100 << 20;

  @Override
  public void post(String peerUrl, String path, byte[] body, long timeoutNanos, Answer answer) {
    client
        .call(URI.create(peerUrl), "POST", path, body, PROTOBUF, timeoutNanos, MAX_ANSWER_BYTES)
        .whenComplete(
            (response, failure) -> {
              if (failure == null) {
                answer.done(response.status(), response.body());
              } else {
                answer.done(0, new byte[0]);
              }
            });
  }

  /// Serves what other members forward to this one.
  static void serve(PeerServer server, LeaseRenewals renewals) {
    server.addHandler(
        "POST", KEEP_ALIVE, call -> reply(answer -> renewals.serveKeepAlive(call.body(), answer)));
    server.addHandler(
        "POST", INTERNAL, call -> reply(answer -> renewals.serveInternal(call.body(), answer)));
  }

  private interface Serving {
    void with(Answer answer);
  }

  private static CompletableFuture<HttpReply> reply(Serving serving) {
    CompletableFuture<HttpReply> reply = new CompletableFuture<>();
    serving.with(
        (status, body) ->
            reply.complete(
                HttpReply.of(
                    status, status == 200 ? PROTOBUF : "text/plain; charset=utf-8", body)));
    return reply;
  }
}
