package dev.etcdj.etcdctl.command;

import dev.etcdj.etcdctl.Arguments;
import dev.etcdj.etcdctl.ErrorText;
import dev.etcdj.etcdctl.Failure;
import dev.etcdj.etcdctl.Flag;
import dev.etcdj.etcdctl.Session;
import dev.etcdj.etcdctl.output.EndpointAnswer;
import dev.etcdj.proto.status.EtcdException;
import java.util.ArrayList;
import java.util.List;

/// `endpoint hashkv`: a hash of each member's history, to compare.
public final class EndpointHashKvCommand implements Command {
  @Override
  public String name() {
    return "endpoint hashkv";
  }

  @Override
  public String synopsis() {
    return "";
  }

  @Override
  public String description() {
    return "Prints the KV history hash for each endpoint in --endpoints";
  }

  @Override
  public List<Flag> flags() {
    return List.of(
        Endpoints.CLUSTER,
        Flag.number("rev", "maximum revision to hash (default: latest revision)"));
  }

  @Override
  public int run(Arguments arguments, Session session) {
    List<EndpointAnswer.HashKv> answers = new ArrayList<>();
    String lastError = "";
    for (String endpoint : Endpoints.of(arguments, session)) {
      try {
        answers.add(
            new EndpointAnswer.HashKv(
                endpoint,
                Session.get(
                    session.client().maintenance().hashKv(endpoint, arguments.number("rev")))));
      } catch (EtcdException e) {
        lastError = ErrorText.of(e);
        session
            .console()
            .errorLine("Failed to get the hash of endpoint " + endpoint + " (" + lastError + ")");
      }
    }
    session.printer().hashKv(answers);
    if (!lastError.isEmpty()) {
      throw new Failure(Failure.ERROR, lastError);
    }
    return 0;
  }
}
