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

/// `endpoint status`: how each member is doing. One that cannot be asked is told on standard error
/// and makes the exit code 1.
public final class EndpointStatusCommand implements Command {
  @Override
  public String name() {
    return "endpoint status";
  }

  @Override
  public String synopsis() {
    return "";
  }

  @Override
  public String description() {
    return "Prints out the status of endpoints specified in `--endpoints` flag";
  }

  @Override
  public List<Flag> flags() {
    return List.of(Endpoints.CLUSTER);
  }

  @Override
  public int run(Arguments arguments, Session session) {
    List<EndpointAnswer.Status> answers = new ArrayList<>();
    int exit = 0;
    for (String endpoint : Endpoints.of(arguments, session)) {
      try {
        answers.add(
            new EndpointAnswer.Status(
                endpoint, Session.get(session.client().maintenance().status(endpoint))));
      } catch (EtcdException e) {
        session
            .console()
            .errorLine(
                "Failed to get the status of endpoint " + endpoint + " (" + ErrorText.of(e) + ")");
        exit = Failure.ERROR;
      }
    }
    session.printer().status(answers);
    return exit;
  }
}
