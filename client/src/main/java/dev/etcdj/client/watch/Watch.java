package dev.etcdj.client.watch;

import dev.etcdj.client.transport.CallSettings;
import dev.etcdj.client.transport.Calls;

/// Watches keys.
/// Thread: safe.
public final class Watch {
  private final Calls calls;

  /// Over `calls`; see `Client.watch`.
  public Watch(Calls calls) {
    this.calls = calls;
  }

  /// The same API with other settings; of these only `requireLeader` matters to a watch, which
  /// then moves to another member when its own loses the leader.
  public Watch with(CallSettings settings) {
    return new Watch(calls.with(settings));
  }

  /// Starts a watch. It goes on by itself over broken connections and changes of leader, without a
  /// gap and without telling anything twice, until it is closed or told its last word.
  public Watcher start(WatchRequest request) {
    Watcher watcher = new Watcher(calls, request);
    watcher.connect();
    return watcher;
  }
}
