package dev.etcdj.client.transport;

import dev.etcdj.proto.status.EtcdException;
import dev.etcdj.proto.status.RpcError;

/// When a failed attempt may be made again.
public enum Retry {
  /// The request changes nothing, so it may run twice: again after UNAVAILABLE of any kind, which
  /// covers lost connections, missing leaders and members that are stopping.
  READ {
    @Override
    boolean again(EtcdException error, boolean sent) {
      return error.code() == RpcError.Code.UNAVAILABLE;
    }
  },
  /// The request changes the store: again only when no byte of it can have reached a member. After
  /// that the outcome is unknown, and a second attempt could undo what others did in between.
  WRITE {
    @Override
    boolean again(EtcdException error, boolean sent) {
      return error.code() == RpcError.Code.UNAVAILABLE && !sent;
    }
  };

  /// @param sent whether the request may have left this process
  abstract boolean again(EtcdException error, boolean sent);
}
