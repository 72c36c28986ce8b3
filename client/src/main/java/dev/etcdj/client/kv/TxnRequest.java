package dev.etcdj.client.kv;

import java.util.List;

/// Does `success` when every condition holds, else `failure`, as one change.
///
/// Source: etcdserverpb.TxnRequest.
public record TxnRequest(List<Compare> compares, List<Op> success, List<Op> failure) implements Op {
  /// Copies the lists.
  public TxnRequest {
    compares = List.copyOf(compares);
    success = List.copyOf(success);
    failure = List.copyOf(failure);
  }

  /// Whether it changes nothing, whichever branch is taken.
  public boolean readOnly() {
    return success.stream().allMatch(TxnRequest::readOnly)
        && failure.stream().allMatch(TxnRequest::readOnly);
  }

  private static boolean readOnly(Op op) {
    return switch (op) {
      case GetRequest _ -> true;
      case TxnRequest txn -> txn.readOnly();
      case PutRequest _ -> false;
      case DeleteRequest _ -> false;
    };
  }
}
