package dev.etcdj.etcdctl.command;

import dev.etcdj.etcdctl.Arguments;
import dev.etcdj.etcdctl.ErrorText;
import dev.etcdj.etcdctl.Failure;
import dev.etcdj.etcdctl.GoText;
import dev.etcdj.etcdctl.Session;
import dev.etcdj.proto.status.EtcdException;

/// `lease grant`: makes a lease.
public final class LeaseGrantCommand implements Command {
  @Override
  public String name() {
    return "lease grant";
  }

  @Override
  public String synopsis() {
    return "<ttl>";
  }

  @Override
  public String description() {
    return "Creates leases";
  }

  @Override
  public int run(Arguments arguments, Session session) {
    if (arguments.size() != 1) {
      throw new Failure(Failure.BAD_ARGS, "lease grant command needs TTL argument");
    }
    long ttlSeconds;
    try {
      ttlSeconds = GoText.parseInt(arguments.at(0), 10);
    } catch (IllegalArgumentException e) {
      throw new Failure(Failure.BAD_ARGS, "bad TTL (" + e.getMessage() + ")");
    }
    try {
      session.printer().grant(Session.get(session.client().lease().grant(ttlSeconds)));
    } catch (EtcdException e) {
      throw new Failure(Failure.ERROR, "failed to grant lease (" + ErrorText.of(e) + ")");
    }
    return 0;
  }
}
