package dev.etcdj.server.apply;

import com.google.protobuf.ByteString;
import dev.etcdj.mvcc.RangeQuery;
import dev.etcdj.mvcc.RangeQuery.SortOrder;
import dev.etcdj.mvcc.RangeQuery.SortTarget;
import dev.etcdj.mvcc.txn.Compare;
import dev.etcdj.mvcc.txn.Compare.Operator;
import dev.etcdj.mvcc.txn.Compare.Target;
import dev.etcdj.mvcc.txn.Op;
import dev.etcdj.mvcc.txn.Txn;
import dev.etcdj.proto.etcdserverpb.AlarmRequest;
import dev.etcdj.proto.etcdserverpb.AlarmType;
import dev.etcdj.proto.etcdserverpb.DeleteRangeRequest;
import dev.etcdj.proto.etcdserverpb.LeaseCheckpointRequest;
import dev.etcdj.proto.etcdserverpb.PutRequest;
import dev.etcdj.proto.etcdserverpb.RangeRequest;
import dev.etcdj.proto.etcdserverpb.RequestOp;
import dev.etcdj.proto.etcdserverpb.TxnRequest;
import dev.etcdj.proto.leasepb.Lease;
import dev.etcdj.proto.status.RpcError;
import java.util.ArrayList;
import java.util.List;

/// From wire messages to commands and the store's own terms.
public final class Commands {
  /// Counted for each put besides key and value (KV-121).
  private static final long PUT_OVERHEAD_BYTES = 256;

  /// Counted for a lease (KV-121).
  public static final long LEASE_BYTES = 64;

  private static final SortOrder[] ORDERS = SortOrder.values();
  private static final SortTarget[] TARGETS = SortTarget.values();

  private Commands() {}

  /// A validated read. Numbers outside the enums are taken as the default.
  public static RangeQuery query(RangeRequest request) {
    int order = request.getSortOrderValue();
    int target = request.getSortTargetValue();
    return new RangeQuery(
        request.getKey(),
        request.getRangeEnd(),
        request.getRevision(),
        request.getLimit(),
        order >= 0 && order < ORDERS.length ? ORDERS[order] : SortOrder.NONE,
        target >= 0 && target < TARGETS.length ? TARGETS[target] : SortTarget.KEY,
        request.getKeysOnly(),
        request.getCountOnly(),
        request.getMinModRevision(),
        request.getMaxModRevision(),
        request.getMinCreateRevision(),
        request.getMaxCreateRevision());
  }

  /// A put.
  public static Op.Put put(PutRequest request) {
    return new Op.Put(
        request.getKey(),
        request.getValue(),
        request.getLease(),
        request.getPrevKv(),
        request.getIgnoreValue(),
        request.getIgnoreLease());
  }

  /// A deletion.
  public static Op.DeleteRange delete(DeleteRangeRequest request) {
    return new Op.DeleteRange(request.getKey(), request.getRangeEnd(), request.getPrevKv());
  }

  /// A transaction; [Command.Invalid] when an operation holds nothing (KV-78).
  public static Command txn(TxnRequest request) {
    if (hasEmptyOp(request)) {
      return new Command.Invalid(RpcError.KEY_NOT_FOUND.exception());
    }
    Txn txn = convert(request);
    return new Command.Txn(txn, cost(txn));
  }

  private static boolean hasEmptyOp(TxnRequest request) {
    return hasEmptyOp(request.getSuccessList()) || hasEmptyOp(request.getFailureList());
  }

  private static boolean hasEmptyOp(List<RequestOp> ops) {
    for (RequestOp op : ops) {
      boolean empty =
          switch (op.getRequestCase()) {
            case REQUEST_NOT_SET -> true;
            case REQUEST_TXN -> hasEmptyOp(op.getRequestTxn());
            case REQUEST_RANGE, REQUEST_PUT, REQUEST_DELETE_RANGE -> false;
          };
      if (empty) {
        return true;
      }
    }
    return false;
  }

  /// The store's form of a transaction of which every operation holds something.
  public static Txn convert(TxnRequest request) {
    List<Compare> compares = new ArrayList<>(request.getCompareCount());
    for (var compare : request.getCompareList()) {
      compares.add(compare(compare));
    }
    return new Txn(compares, ops(request.getSuccessList()), ops(request.getFailureList()));
  }

  private static List<Op> ops(List<RequestOp> requests) {
    List<Op> ops = new ArrayList<>(requests.size());
    for (RequestOp request : requests) {
      ops.add(
          switch (request.getRequestCase()) {
            case REQUEST_RANGE -> new Op.Range(query(request.getRequestRange()));
            case REQUEST_PUT -> put(request.getRequestPut());
            case REQUEST_DELETE_RANGE -> delete(request.getRequestDeleteRange());
            case REQUEST_TXN -> new Op.Nested(convert(request.getRequestTxn()));
            case REQUEST_NOT_SET -> throw new IllegalArgumentException("empty operation");
          });
    }
    return ops;
  }

  /// The operand counts only if it is of the target's kind (KV-86).
  private static Compare compare(dev.etcdj.proto.etcdserverpb.Compare from) {
    Target target =
        switch (from.getTarget()) {
          case VERSION -> Target.VERSION;
          case CREATE -> Target.CREATE;
          case MOD -> Target.MOD;
          case VALUE -> Target.VALUE;
          case LEASE -> Target.LEASE;
          case UNRECOGNIZED -> Target.UNKNOWN;
        };
    // A getter of another union member gives the default: 0 or no bytes.
    long number =
        switch (target) {
          case VERSION -> from.getVersion();
          case CREATE -> from.getCreateRevision();
          case MOD -> from.getModRevision();
          case LEASE -> from.getLease();
          case VALUE, UNKNOWN -> 0;
        };
    Operator operator =
        switch (from.getResult()) {
          case EQUAL -> Operator.EQUAL;
          case GREATER -> Operator.GREATER;
          case LESS -> Operator.LESS;
          case NOT_EQUAL -> Operator.NOT_EQUAL;
          case UNRECOGNIZED -> Operator.UNKNOWN;
        };
    ByteString value = target == Target.VALUE ? from.getValue() : ByteString.EMPTY;
    return new Compare(from.getKey(), from.getRangeEnd(), target, operator, number, value);
  }

  /// Bytes a put counts against the quota (KV-121).
  public static long cost(Op.Put put) {
    return PUT_OVERHEAD_BYTES + put.key().size() + put.value().size();
  }

  /// The larger branch's bytes, nested transactions included (KV-121).
  public static long cost(Txn txn) {
    return Math.max(cost(txn.success()), cost(txn.failure()));
  }

  private static long cost(List<Op> ops) {
    long cost = 0;
    for (Op op : ops) {
      cost +=
          switch (op) {
            case Op.Put put -> cost(put);
            case Op.Nested nested -> cost(nested.txn());
            case Op.Range _, Op.DeleteRange _ -> 0;
          };
    }
    return cost;
  }

  /// As [#cost(Txn)], of a transaction that is not validated yet.
  public static long cost(TxnRequest request) {
    return Math.max(requestCost(request.getSuccessList()), requestCost(request.getFailureList()));
  }

  private static long requestCost(List<RequestOp> ops) {
    long cost = 0;
    for (RequestOp op : ops) {
      if (op.hasRequestPut()) {
        PutRequest put = op.getRequestPut();
        cost += PUT_OVERHEAD_BYTES + put.getKey().size() + put.getValue().size();
      } else if (op.hasRequestTxn()) {
        cost += cost(op.getRequestTxn());
      }
    }
    return cost;
  }

  /// The request by which a member raises NOSPACE for itself.
  public static AlarmRequest activateNoSpace(long memberId) {
    return AlarmRequest.newBuilder()
        .setAction(AlarmRequest.AlarmAction.ACTIVATE)
        .setMemberID(memberId)
        .setAlarm(AlarmType.NOSPACE)
        .build();
  }

  static Command.LeaseCheckpoint checkpoint(LeaseCheckpointRequest request) {
    List<Lease> leases = new ArrayList<>(request.getCheckpointsCount());
    for (var checkpoint : request.getCheckpointsList()) {
      leases.add(
          Lease.newBuilder()
              .setID(checkpoint.getID())
              .setRemainingTTL(checkpoint.getRemainingTTL())
              .build());
    }
    return new Command.LeaseCheckpoint(leases);
  }
}
