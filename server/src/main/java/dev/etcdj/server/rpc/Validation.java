package dev.etcdj.server.rpc;

import com.google.protobuf.ByteString;
import dev.etcdj.proto.etcdserverpb.Compare;
import dev.etcdj.proto.etcdserverpb.DeleteRangeRequest;
import dev.etcdj.proto.etcdserverpb.PutRequest;
import dev.etcdj.proto.etcdserverpb.RangeRequest;
import dev.etcdj.proto.etcdserverpb.RequestOp;
import dev.etcdj.proto.etcdserverpb.TxnRequest;
import dev.etcdj.proto.status.RpcError;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// What a request must satisfy before anything is read or proposed. All checks throw
/// [dev.etcdj.proto.status.EtcdException], the first violation wins.
final class Validation {
  private Validation() {}

  /// KV-30, KV-31.
  static void range(RangeRequest request) {
    requireKey(request.getKey());
    if (request.getSortOrder() == RangeRequest.SortOrder.UNRECOGNIZED
        || request.getSortTarget() == RangeRequest.SortTarget.UNRECOGNIZED) {
      throw RpcError.INVALID_SORT_OPTION.exception();
    }
  }

  /// KV-55.
  static void rangeStream(RangeRequest request) {
    range(request);
    boolean byKey = request.getSortTarget() == RangeRequest.SortTarget.KEY;
    boolean defaultOrder =
        switch (request.getSortOrder()) {
          case NONE -> true;
          case ASCEND -> byKey;
          case DESCEND, UNRECOGNIZED -> false;
        };
    if (!defaultOrder) {
      throw RpcError.RANGE_STREAM_SORT.exception();
    }
    if (request.getMinModRevision() != 0
        || request.getMaxModRevision() != 0
        || request.getMinCreateRevision() != 0
        || request.getMaxCreateRevision() != 0) {
      throw RpcError.RANGE_STREAM_FILTER.exception();
    }
  }

  /// KV-65.
  static void put(PutRequest request) {
    requireKey(request.getKey());
    if (request.getIgnoreValue() && !request.getValue().isEmpty()) {
      throw RpcError.VALUE_PROVIDED.exception();
    }
    if (request.getIgnoreLease() && request.getLease() != 0) {
      throw RpcError.LEASE_PROVIDED.exception();
    }
  }

  /// KV-72, KV-80.
  static void delete(DeleteRangeRequest request) {
    requireKey(request.getKey());
  }

  private static void requireKey(ByteString key) {
    if (key.isEmpty()) {
      throw RpcError.EMPTY_KEY.exception();
    }
  }

  /// KV-76..80.
  ///
  /// @param maxOps budget of the top level
  static void txn(TxnRequest request, int maxOps) {
    level(request, maxOps);
    if (request.getSuccessCount() > 0) {
      var _ = new Branch(request.getSuccessList());
    }
    if (request.getFailureCount() > 0) {
      var _ = new Branch(request.getFailureList());
    }
  }

  private static void level(TxnRequest request, int budget) {
    int ops =
        Math.max(
            request.getCompareCount(),
            Math.max(request.getSuccessCount(), request.getFailureCount()));
    if (ops > budget) {
      throw RpcError.TOO_MANY_OPS.exception();
    }
    for (Compare compare : request.getCompareList()) {
      requireKey(compare.getKey());
    }
    ops(request.getSuccessList(), budget - ops);
    ops(request.getFailureList(), budget - ops);
  }

  private static void ops(List<RequestOp> ops, int nestedBudget) {
    for (RequestOp op : ops) {
      switch (op.getRequestCase()) {
        case REQUEST_RANGE -> range(op.getRequestRange());
        case REQUEST_PUT -> put(op.getRequestPut());
        case REQUEST_DELETE_RANGE -> delete(op.getRequestDeleteRange());
        case REQUEST_TXN -> level(op.getRequestTxn(), nestedBudget);
        case REQUEST_NOT_SET -> throw RpcError.KEY_NOT_FOUND.exception();
      }
    }
  }

  /// What one branch puts and deletes, children included; making one checks the rule that no key
  /// is put twice or both put and deleted (KV-76). A child's two branches never both run, so they
  /// are not held against each other.
  private static final class Branch {
    private final Set<ByteString> puts = new HashSet<>();
    private final KeyRanges deletes = new KeyRanges();

    Branch(List<RequestOp> ops) {
      boolean nested = false;
      for (RequestOp op : ops) {
        if (op.hasRequestDeleteRange()) {
          DeleteRangeRequest delete = op.getRequestDeleteRange();
          deletes.add(delete.getKey(), delete.getRangeEnd());
        }
        nested |= op.hasRequestTxn();
      }
      if (nested) {
        for (RequestOp op : ops) {
          if (op.hasRequestTxn()) {
            child(op.getRequestTxn());
          }
        }
      }
      for (RequestOp op : ops) {
        if (op.hasRequestPut()) {
          put(op.getRequestPut().getKey(), true);
        }
      }
    }

    private void child(TxnRequest txn) {
      Branch success = new Branch(txn.getSuccessList());
      Branch failure = new Branch(txn.getFailureList());
      for (ByteString key : success.puts) {
        put(key, true);
      }
      for (ByteString key : failure.puts) {
        put(key, !success.puts.contains(key));
      }
      deletes.addAll(success.deletes);
      deletes.addAll(failure.deletes);
    }

    private void put(ByteString key, boolean once) {
      if ((!puts.add(key) && once) || deletes.contain(key)) {
        throw RpcError.DUPLICATE_KEY.exception();
      }
    }
  }
}
