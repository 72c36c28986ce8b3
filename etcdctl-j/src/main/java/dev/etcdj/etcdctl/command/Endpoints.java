package dev.etcdj.etcdctl.command;

import dev.etcdj.client.Client;
import dev.etcdj.client.cluster.Member;
import dev.etcdj.etcdctl.Arguments;
import dev.etcdj.etcdctl.Flag;
import dev.etcdj.etcdctl.Session;
import java.util.ArrayList;
import java.util.List;

/// Which endpoints the `endpoint` commands ask.
final class Endpoints {
  /// The flag they share.
  static final Flag CLUSTER =
      Flag.bool("cluster", "use all endpoints from the cluster member list");

  private Endpoints() {}

  /// Those that were given, or with `--cluster` those that the members announce.
  static List<String> of(Arguments arguments, Session session) {
    if (!arguments.is("cluster")) {
      return session.endpoints();
    }
    List<String> announced = new ArrayList<>();
    try (Client client = session.open(session.endpoints())) {
      for (Member member : session.await(client.cluster().members(false)).members()) {
        announced.addAll(member.clientUrls());
      }
    }
    return announced;
  }
}
