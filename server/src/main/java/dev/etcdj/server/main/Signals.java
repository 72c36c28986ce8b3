package dev.etcdj.server.main;

import java.util.Map;
import sun.misc.Signal;

/// SIGTERM and SIGINT. The JVM's own shutdown hooks do not say which signal came, and run while
/// the process is already ending.
@SuppressWarnings("sunapi")
final class Signals {
  private static final Map<String, String> WORDS = Map.of("TERM", "terminated", "INT", "interrupt");

  /// Receives a signal's name in etcd's words and its number.
  @FunctionalInterface
  interface Handler {
    void received(String signal, int number);
  }

  private Signals() {}

  /// Replaces the JVM's handling of both signals.
  static void onTerminate(Handler handler) {
    WORDS.forEach(
        (name, words) ->
            Signal.handle(new Signal(name), signal -> handler.received(words, signal.getNumber())));
  }
}
