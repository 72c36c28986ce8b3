package dev.etcdj.etcdctl.command;

import com.google.protobuf.ByteString;
import dev.etcdj.client.Client;
import dev.etcdj.client.maintenance.Alarm;
import dev.etcdj.etcdctl.Arguments;
import dev.etcdj.etcdctl.ErrorText;
import dev.etcdj.etcdctl.Failure;
import dev.etcdj.etcdctl.Flag;
import dev.etcdj.etcdctl.Session;
import dev.etcdj.etcdctl.output.EndpointAnswer.Health;
import dev.etcdj.proto.status.EtcdException;
import dev.etcdj.proto.status.RpcError;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// `endpoint health`: whether each endpoint can have a read agreed on, and has no alarm. All are
/// asked at once and told in the order in which they answer.
public final class EndpointHealthCommand implements Command {
  private static final ByteString KEY = ByteString.copyFromUtf8("health");

  @Override
  public String name() {
    return "endpoint health";
  }

  @Override
  public String synopsis() {
    return "";
  }

  @Override
  public String description() {
    return "Checks the healthiness of endpoints specified in `--endpoints` flag";
  }

  @Override
  public List<Flag> flags() {
    return List.of(Endpoints.CLUSTER);
  }

  @Override
  public int run(Arguments arguments, Session session) {
    List<String> endpoints = Endpoints.of(arguments, session);
    List<Health> answers = new ArrayList<>();
    List<Client> clients = new ArrayList<>();
    try {
      List<CompletableFuture<Void>> asked = new ArrayList<>();
      for (String endpoint : endpoints) {
        Client client = session.open(List.of(endpoint));
        clients.add(client);
        asked.add(
            ask(endpoint, client)
                .thenAccept(
                    health -> {
                      synchronized (answers) {
                        answers.add(health);
                      }
                    }));
      }
      Session.get(CompletableFuture.allOf(asked.toArray(CompletableFuture<?>[]::new)));
    } finally {
      clients.forEach(Client::close);
    }
    session.printer().health(answers);
    if (!answers.stream().allMatch(Health::healthy)) {
      throw new Failure(Failure.ERROR, "unhealthy cluster");
    }
    return 0;
  }

  private static CompletableFuture<Health> ask(String endpoint, Client client) {
    long start = System.nanoTime();
    return client
        .kv()
        .get(KEY)
        .handle((response, error) -> problem(error))
        .thenCompose(
            problem -> {
              Duration took = Duration.ofNanos(System.nanoTime() - start);
              return problem.isEmpty()
                  ? client
                      .maintenance()
                      .alarms()
                      .handle(
                          (alarms, error) ->
                              error != null
                                  ? "Unable to fetch the alarm list"
                                  : alarmText(alarms.alarms()))
                      .thenApply(text -> new Health(endpoint, text.isEmpty(), took, text))
                  : CompletableFuture.completedFuture(new Health(endpoint, false, took, problem));
            });
  }

  /// What is wrong; empty for nothing. A read that is not permitted has been agreed on all the
  // same.
  private static String problem(@Nullable Throwable error) {
    if (error == null) {
      return "";
    }
    if (error instanceof EtcdException refused) {
      return refused.code() == RpcError.Code.PERMISSION_DENIED ? "" : ErrorText.of(refused);
    }
    return String.valueOf(error.getMessage());
  }

  private static String alarmText(List<Alarm> alarms) {
    return alarms.isEmpty()
        ? ""
        : alarms.stream()
            .map(Alarm::type)
            .collect(Collectors.joining(" ", "Active Alarm(s): ", " "));
  }
}
