package dev.etcdj.etcdctl.command;

import dev.etcdj.client.watch.Event;
import dev.etcdj.client.watch.WatchRequest;
import dev.etcdj.client.watch.WatchResponse;
import dev.etcdj.client.watch.Watcher;
import dev.etcdj.etcdctl.Console;
import dev.etcdj.etcdctl.ErrorText;
import dev.etcdj.etcdctl.Failure;
import dev.etcdj.etcdctl.GoText;
import dev.etcdj.etcdctl.Session;
import dev.etcdj.proto.status.RpcError;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/// Prints one watch, and runs the program for each of its events.
final class WatchPrinter {
  private final Watcher watcher;
  private final Session session;
  private final List<String> program;

  private WatchPrinter(Watcher watcher, Session session, List<String> program) {
    this.watcher = watcher;
    this.session = session;
    this.program = program;
  }

  static WatchPrinter start(WatchRequest request, Session session, List<String> program) {
    return new WatchPrinter(session.client().watch().start(request), session, program);
  }

  Watcher watcher() {
    return watcher;
  }

  /// Prints until the watch ends.
  ///
  /// @return 0, or the exit code when the program failed
  int untilEnd() {
    while (true) {
      WatchResponse response = Session.get(watcher.next());
      int exit = handle(response);
      if (exit != 0 || response.last()) {
        watcher.close();
        return exit;
      }
    }
  }

  private int handle(WatchResponse response) {
    Console console = session.console();
    synchronized (console) { // watches of one session share its output
      session.printer().watch(response);
      console.flush();
      String reason =
          switch (response) {
            case WatchResponse.Compacted _ -> RpcError.COMPACTED.text();
            case WatchResponse.Refused refused -> refused.reason();
            case WatchResponse.Failed failed -> ErrorText.of(failed.error());
            case WatchResponse.Events _, WatchResponse.Progress _, WatchResponse.Closed _ -> "";
          };
      if (!reason.isEmpty()) {
        console.errorLine("watch was canceled (" + reason + ")");
      }
      if (!program.isEmpty() && response instanceof WatchResponse.Events events) {
        for (Event event : events.events()) {
          int exit = execute(event, events.header().revision());
          if (exit != 0) {
            return exit;
          }
        }
      }
      return 0;
    }
  }

  private int execute(Event event, long revision) {
    ProcessBuilder builder = new ProcessBuilder(program).inheritIO();
    Map<String, String> environment = builder.environment();
    environment.put("ETCD_WATCH_REVISION", Long.toString(revision));
    environment.put("ETCD_WATCH_EVENT_TYPE", GoText.quote(event.type().name()));
    environment.put("ETCD_WATCH_KEY", GoText.quote(event.kv().key()));
    environment.put("ETCD_WATCH_VALUE", GoText.quote(event.kv().value()));
    String problem;
    try {
      int status = builder.start().waitFor();
      if (status == 0) {
        return 0;
      }
      problem = "exit status " + status;
    } catch (IOException e) {
      problem =
          "exec: " + GoText.quote(program.getFirst()) + ": executable file not found in $PATH";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      problem = "interrupted";
    }
    session.console().errorLine("command " + GoText.quote(program) + " error (" + problem + ")");
    return Failure.ERROR;
  }
}
