package dev.etcdj.etcdctl.command;

import dev.etcdj.etcdctl.Arguments;
import dev.etcdj.etcdctl.Flag;
import dev.etcdj.etcdctl.Session;
import java.util.List;

/// `member list`: lists the members.
public final class MemberListCommand implements Command {
  @Override
  public String name() {
    return "member list";
  }

  @Override
  public String synopsis() {
    return "";
  }

  @Override
  public String description() {
    return """
        Lists all members in the cluster

        The simple form has a line for each: ID, Status, Name, Peer Addrs, Client Addrs, Is Learner.""";
  }

  @Override
  public List<Flag> flags() {
    return List.of(Flag.text("consistency", "l", "Linearizable(l) or Serializable(s)"));
  }

  @Override
  public int run(Arguments arguments, Session session) {
    boolean serializable = Parse.serializable(arguments);
    session.printer().members(session.await(session.client().cluster().members(serializable)));
    return 0;
  }
}
