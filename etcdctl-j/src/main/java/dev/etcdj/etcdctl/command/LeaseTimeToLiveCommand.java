package dev.etcdj.etcdctl.command;

import dev.etcdj.etcdctl.Arguments;
import dev.etcdj.etcdctl.ErrorText;
import dev.etcdj.etcdctl.Failure;
import dev.etcdj.etcdctl.Flag;
import dev.etcdj.etcdctl.Session;
import dev.etcdj.proto.status.EtcdException;
import java.util.List;

/// `lease timetolive`: tells what is left of a lease.
public final class LeaseTimeToLiveCommand implements Command {
  @Override
  public String name() {
    return "lease timetolive";
  }

  @Override
  public String synopsis() {
    return "<leaseID> [options]";
  }

  @Override
  public String description() {
    return "Get lease information";
  }

  @Override
  public List<Flag> flags() {
    return List.of(Flag.bool("keys", "Get keys attached to this lease"));
  }

  @Override
  public int run(Arguments arguments, Session session) {
    if (arguments.size() != 1) {
      throw new Failure(Failure.BAD_ARGS, "lease timetolive command needs lease ID as argument");
    }
    long id = Parse.leaseArgument(arguments);
    boolean keys = arguments.is("keys");
    try {
      session
          .printer()
          .timeToLive(Session.get(session.client().lease().timeToLive(id, keys)), keys);
    } catch (EtcdException e) {
      throw new Failure(Failure.BAD_CONNECTION, ErrorText.of(e));
    }
    return 0;
  }
}
