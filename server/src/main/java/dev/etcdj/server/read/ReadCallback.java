package dev.etcdj.server.read;

import dev.etcdj.proto.status.EtcdException;

/// Receives the one outcome of a wait for linearizability. Called from any thread, must be cheap
/// and must not block.
public interface ReadCallback {
  /// What the store holds now may be answered from.
  void ready();

  /// It may not.
  void failed(EtcdException why);
}
