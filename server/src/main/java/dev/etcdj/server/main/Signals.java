package dev.etcdj.server.main;

import java.lang.reflect.Proxy;
import java.util.Map;

/// SIGTERM and SIGINT. The JVM's own shutdown hooks do not say which signal came, and run while
/// the process is already ending.
///
/// `sun.misc.Signal` is supported (module jdk.unsupported), but naming it in source is a warning
/// that cannot be turned off; so it is looked up.
final class Signals {
  private static final Map<String, String> WORDS = Map.of("TERM", "terminated", "INT", "interrupt");

  /// Receives a signal's name in etcd's words and its number.
  @FunctionalInterface
  interface Handler {
    void received(String signal, int number);
  }

  private Signals() {}

  /// What a process ends with after a signal. The first process of a container cannot die from one,
  /// and what started the container takes another status than 0 for a failure; etcd does the same.
  static int exitStatus(long pid, int number) {
    return pid == 1 ? 0 : 128 + number;
  }

  /// Replaces the JVM's handling of both signals.
  @SuppressWarnings("ReferenceEquality") // Identity is what a listener is compared by.
  static void onTerminate(Handler handler) {
    try {
      Class<?> signalType = Class.forName("sun.misc.Signal");
      Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
      for (Map.Entry<String, String> word : WORDS.entrySet()) {
        Object signal = signalType.getConstructor(String.class).newInstance(word.getKey());
        int number = (int) signalType.getMethod("getNumber").invoke(signal);
        Object listener =
            Proxy.newProxyInstance(
                Signals.class.getClassLoader(),
                new Class<?>[] {handlerType},
                (self, method, arguments) ->
                    switch (method.getName()) {
                      case "handle" -> {
                        handler.received(word.getValue(), number);
                        yield null;
                      }
                      case "hashCode" -> System.identityHashCode(self);
                      case "equals" -> self == arguments[0];
                      default -> "signal listener";
                    });
        signalType.getMethod("handle", signalType, handlerType).invoke(null, signal, listener);
      }
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("every JVM has sun.misc.Signal", e);
    }
  }
}
