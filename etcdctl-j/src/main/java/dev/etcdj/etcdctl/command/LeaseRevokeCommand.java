package dev.etcdj.etcdctl.command;

import dev.etcdj.etcdctl.Arguments;
import dev.etcdj.etcdctl.ErrorText;
import dev.etcdj.etcdctl.Failure;
import dev.etcdj.etcdctl.Session;
import dev.etcdj.proto.status.EtcdException;

/// `lease revoke`: ends a lease and deletes its keys.
public final class LeaseRevokeCommand implements Command {
  @Override
  public String name() {
    return "lease revoke";
  }

  @Override
  public String synopsis() {
    return "<leaseID>";
  }

  @Override
  public String description() {
    return "Revokes leases";
  }

  @Override
  public int run(Arguments arguments, Session session) {
    if (arguments.size() != 1) {
      throw new Failure(Failure.BAD_ARGS, "lease revoke command needs 1 argument");
    }
    long id = Parse.leaseArgument(arguments);
    try {
      session.printer().revoke(id, Session.get(session.client().lease().revoke(id)));
    } catch (EtcdException e) {
      throw new Failure(Failure.ERROR, "failed to revoke lease (" + ErrorText.of(e) + ")");
    }
    return 0;
  }
}
