package dev.etcdj.etcdctl.command;

import dev.etcdj.etcdctl.Arguments;
import dev.etcdj.etcdctl.ErrorText;
import dev.etcdj.etcdctl.Failure;
import dev.etcdj.etcdctl.Session;
import dev.etcdj.proto.status.EtcdException;

/// `lease list`: lists all leases.
public final class LeaseListCommand implements Command {
  @Override
  public String name() {
    return "lease list";
  }

  @Override
  public String synopsis() {
    return "";
  }

  @Override
  public String description() {
    return "List all active leases";
  }

  @Override
  public int run(Arguments arguments, Session session) {
    try {
      session.printer().leases(Session.get(session.client().lease().list()));
    } catch (EtcdException e) {
      throw new Failure(Failure.BAD_CONNECTION, ErrorText.of(e));
    }
    return 0;
  }
}
