package dev.etcdj.etcdctl.command;

import dev.etcdj.client.lease.KeepAlive;
import dev.etcdj.client.lease.LeaseKeepAliveResponse;
import dev.etcdj.etcdctl.Arguments;
import dev.etcdj.etcdctl.ErrorText;
import dev.etcdj.etcdctl.Failure;
import dev.etcdj.etcdctl.Flag;
import dev.etcdj.etcdctl.Session;
import dev.etcdj.etcdctl.output.Hex;
import dev.etcdj.etcdctl.output.Printer;
import dev.etcdj.proto.status.EtcdException;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/// `lease keep-alive`: renews a lease until it is gone, or once.
public final class LeaseKeepAliveCommand implements Command {
  @Override
  public String name() {
    return "lease keep-alive";
  }

  @Override
  public String synopsis() {
    return "[options] <leaseID>";
  }

  @Override
  public String description() {
    return "Keeps leases alive (renew)";
  }

  @Override
  public List<Flag> flags() {
    return List.of(
        Flag.bool(
            "once", "Resets the keep-alive time to its original value and exits immediately"));
  }

  @Override
  public int run(Arguments arguments, Session session) {
    if (arguments.size() != 1) {
      throw new Failure(Failure.BAD_ARGS, "lease keep-alive command needs lease ID as argument");
    }
    long id = Parse.leaseArgument(arguments);
    if (arguments.is("once")) {
      try {
        session.printer().keepAlive(Session.get(session.client().lease().keepAliveOnce(id)));
      } catch (EtcdException e) {
        throw new Failure(Failure.BAD_CONNECTION, ErrorText.of(e));
      }
      return 0;
    }
    return untilGone(id, session);
  }

  private static int untilGone(long id, Session session) {
    Printer printer = session.printer();
    CompletableFuture<Void> refused = new CompletableFuture<>();
    try (KeepAlive keepAlive =
        session
            .client()
            .lease()
            .keepAlive(id, response -> print(response, printer, session, refused))) {
      Session.get(CompletableFuture.anyOf(keepAlive.ended(), refused));
    }
    if (printer.format().equals("simple")) {
      session.console().line("lease " + Hex.of(id, 16) + " expired or revoked.");
    }
    return 0;
  }

  /// Prints on the event loop; a format that has no form for it ends the command instead.
  private static void print(
      LeaseKeepAliveResponse response,
      Printer printer,
      Session session,
      CompletableFuture<Void> refused) {
    try {
      printer.keepAlive(response);
      session.console().flush();
    } catch (Failure failure) {
      refused.completeExceptionally(failure);
    }
  }
}
