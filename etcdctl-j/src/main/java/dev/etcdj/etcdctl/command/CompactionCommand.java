package dev.etcdj.etcdctl.command;

import dev.etcdj.etcdctl.Arguments;
import dev.etcdj.etcdctl.Failure;
import dev.etcdj.etcdctl.Flag;
import dev.etcdj.etcdctl.GoText;
import dev.etcdj.etcdctl.Session;
import java.util.List;

/// `compaction`: gives up old history. It prints the same line in every format.
public final class CompactionCommand implements Command {
  @Override
  public String name() {
    return "compaction";
  }

  @Override
  public String synopsis() {
    return "[options] <revision>";
  }

  @Override
  public String description() {
    return "Compacts the event history in etcd";
  }

  @Override
  public List<Flag> flags() {
    return List.of(
        Flag.bool(
            "physical", "'true' to wait for compaction to physically remove all old revisions"));
  }

  @Override
  public int run(Arguments arguments, Session session) {
    if (arguments.size() != 1) {
      throw new Failure(Failure.BAD_ARGS, "compaction command needs 1 argument");
    }
    long revision;
    try {
      revision = GoText.parseInt(arguments.at(0), 10);
    } catch (IllegalArgumentException e) {
      throw new Failure(Failure.ERROR, String.valueOf(e.getMessage()));
    }
    session.await(session.client().kv().compact(revision, arguments.is("physical")));
    session.console().line("compacted revision " + revision);
    return 0;
  }
}
