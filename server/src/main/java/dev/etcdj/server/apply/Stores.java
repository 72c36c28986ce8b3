package dev.etcdj.server.apply;

import dev.etcdj.mvcc.KvStore;
import dev.etcdj.mvcc.backend.Backend;
import dev.etcdj.server.alarm.AlarmStore;
import dev.etcdj.server.lease.Lessor;

/// The stores in force. A snapshot install replaces the key-value store and the backend under
/// the feet of everybody else, so they are asked for at each use and not kept. Leases and alarms
/// are reloaded in place: clients wait on them.
public final class Stores {
  // Replaced by the apply loop, read by rpc threads.
  private volatile KvStore kv;
  private volatile Backend backend;
  private final Lessor lessor;
  private final AlarmStore alarms;

  public Stores(KvStore kv, Backend backend, Lessor lessor, AlarmStore alarms) {
    this.kv = kv;
    this.backend = backend;
    this.lessor = lessor;
    this.alarms = alarms;
  }

  public KvStore kv() {
    return kv;
  }

  public Backend backend() {
    return backend;
  }

  public Lessor lessor() {
    return lessor;
  }

  public AlarmStore alarms() {
    return alarms;
  }

  /// Puts a snapshot's stores in force. Apply loop only.
  public void replace(KvStore newKv, Backend newBackend) {
    backend = newBackend;
    kv = newKv;
  }
}
