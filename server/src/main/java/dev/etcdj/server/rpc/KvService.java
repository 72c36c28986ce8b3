package dev.etcdj.server.rpc;

import dev.etcdj.mvcc.KvStore;
import dev.etcdj.mvcc.RangeQuery;
import dev.etcdj.mvcc.RangeQuery.SortOrder;
import dev.etcdj.mvcc.RangeQuery.SortTarget;
import dev.etcdj.mvcc.RangeView;
import dev.etcdj.mvcc.txn.Op;
import dev.etcdj.mvcc.txn.OpResult;
import dev.etcdj.proto.etcdserverpb.CompactionRequest;
import dev.etcdj.proto.etcdserverpb.CompactionResponse;
import dev.etcdj.proto.etcdserverpb.DeleteRangeRequest;
import dev.etcdj.proto.etcdserverpb.InternalRaftRequest;
import dev.etcdj.proto.etcdserverpb.PutRequest;
import dev.etcdj.proto.etcdserverpb.RangeRequest;
import dev.etcdj.proto.etcdserverpb.RequestOp;
import dev.etcdj.proto.etcdserverpb.TxnRequest;
import dev.etcdj.proto.status.EtcdException;
import dev.etcdj.proto.status.RpcError;
import dev.etcdj.server.apply.ApplyResult;
import dev.etcdj.server.apply.Command;
import dev.etcdj.server.apply.Commands;
import dev.etcdj.server.propose.Proposer;
import dev.etcdj.server.read.LinearizableReads;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerServiceDefinition;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/// `etcdserverpb.KV`.
final class KvService {
  private static final String NAME = "etcdserverpb.KV";

  /// A read of no more keys is done on the event loop.
  private static final int SMALL_RANGE_KEYS = 1_000;

  /// A page at an older revision is read there too, while the count that goes with it, made by
  /// walking the index, is of about as many keys at most.
  private static final int COUNTED_KEYS = 100_000;

  private final Core core;
  private final Gate gate;
  private final Proposer proposer;
  private final LinearizableReads reads;
  private final BigReads bigReads;

  KvService(Core core, Gate gate) {
    this.core = core;
    this.gate = gate;
    this.proposer = core.proposer();
    this.reads = core.reads();
    this.bigReads = core.bigReads();
  }

  ServerServiceDefinition definition() {
    return new ServiceBuilder(NAME, gate)
            .unary("Range", RangeRequest.getDefaultInstance(), Gate.OnLearner.SERVED, new Range())
            .unary("Put", PutRequest.getDefaultInstance(), Gate.OnLearner.REFUSED, new Put())
            .unary(
                "DeleteRange",
                DeleteRangeRequest.getDefaultInstance(),
                Gate.OnLearner.REFUSED,
                new DeleteRange())
            .unary("Txn", TxnRequest.getDefaultInstance(), Gate.OnLearner.REFUSED, new Txn())
            .unary(
                "Compact",
                CompactionRequest.getDefaultInstance(),
                Gate.OnLearner.REFUSED,
                new Compact())
            .stream(
                MethodType.SERVER_STREAMING,
                "RangeStream",
                RangeRequest.getDefaultInstance(),
                (call, _) -> new RangeStreamCall(core, call))
            .build();
  }

  // ---- reads ------------------------------------------------------------------------------------

  private final class Range implements UnaryMethod<RangeRequest> {
    @Override
    public void start(UnaryCall<RangeRequest> call, RangeRequest request) {
      Validation.range(request);
      if (request.getSerializable()) {
        readable(call);
      } else if (gate.isLearner()) {
        call.fail(RpcError.NOT_SUPPORTED_FOR_LEARNER.exception());
      } else {
        reads.await(call);
      }
    }

    @Override
    public void readable(UnaryCall<RangeRequest> call) {
      RangeQuery query = Commands.query(call.request());
      if (isSmall(query)) {
        call.reply(read(query));
      } else {
        bigReads.submit(call, send -> readInPlace(query, send));
      }
    }

    private WireMessage read(RangeQuery query) {
      var result = core.stores().kv().range(query);
      return new Replies.Range(core.headers().encode(result.revision()), result);
    }

    private void readInPlace(RangeQuery query, Consumer<WireMessage> send) {
      try (RangeView range = core.stores().kv().openRange(query)) {
        send.accept(new Replies.RangeInPlace(core.headers().encode(range.revision()), range));
      }
    }
  }

  /// Whether the read touches few keys for sure. How many keys a range holds now is known without
  /// visiting them; how many it held at an older revision is not.
  private boolean isSmall(RangeQuery query) {
    if (query.rangeEnd().isEmpty()) {
      return true;
    }
    boolean inKeyOrder =
        query.sortTarget() == SortTarget.KEY && query.sortOrder() != SortOrder.DESCEND;
    boolean filters =
        query.minModRevision() != 0
            || query.maxModRevision() != 0
            || query.minCreateRevision() != 0
            || query.maxCreateRevision() != 0;
    boolean page = inKeyOrder && !filters && query.limit() > 0 && query.limit() <= SMALL_RANGE_KEYS;
    boolean current = query.revision() <= 0;
    if (current && (page || (query.countOnly() && !filters))) {
      return true;
    }
    long keysNow = core.stores().kv().range(count(query)).count();
    return current ? keysNow <= SMALL_RANGE_KEYS : page && keysNow <= COUNTED_KEYS;
  }

  private static RangeQuery count(RangeQuery query) {
    return new RangeQuery(
        query.key(),
        query.rangeEnd(),
        0,
        0,
        SortOrder.NONE,
        SortTarget.KEY,
        false,
        true,
        0,
        0,
        0,
        0);
  }

  // ---- writes -----------------------------------------------------------------------------------

  private abstract class Write<Q extends com.google.protobuf.MessageLite>
      implements UnaryMethod<Q> {
    @Override
    public void applied(UnaryCall<Q> call, ApplyResult result) {
      if (!(result instanceof ApplyResult.Executed executed)) {
        throw new IllegalStateException("a write came to " + result);
      }
      byte[] header = core.headers().encode(revision(executed.result()));
      call.reply(
          switch (executed.result()) {
            case OpResult.Put put -> new Replies.Put(header, put.prevKv());
            case OpResult.DeleteRange delete -> new Replies.Delete(header, delete);
            case OpResult.Nested txn -> new Replies.Txn(header, txn);
            case OpResult.Range range -> new Replies.Range(header, range.result());
          });
    }

    private static long revision(OpResult result) {
      return switch (result) {
        case OpResult.Put put -> put.revision();
        case OpResult.DeleteRange delete -> delete.revision();
        case OpResult.Nested txn -> txn.revision();
        case OpResult.Range range -> range.result().revision();
      };
    }
  }

  private final class Put extends Write<PutRequest> {
    @Override
    public void start(UnaryCall<PutRequest> call, PutRequest request) {
      Op.Put put = Commands.put(request);
      if (!core.quota().allows(Commands.cost(put))) {
        core.failNoSpace(call);
        return;
      }
      Validation.put(request);
      call.waitsFor(
          proposer.propose(
              new Command.Put(put),
              InternalRaftRequest.PUT_FIELD_NUMBER,
              call.requestBytes(),
              call));
    }
  }

  private final class DeleteRange extends Write<DeleteRangeRequest> {
    @Override
    public void start(UnaryCall<DeleteRangeRequest> call, DeleteRangeRequest request) {
      Validation.delete(request);
      call.waitsFor(
          proposer.propose(
              new Command.DeleteRange(Commands.delete(request)),
              InternalRaftRequest.DELETE_RANGE_FIELD_NUMBER,
              call.requestBytes(),
              call));
    }
  }

  private final class Txn extends Write<TxnRequest> {
    @Override
    public void start(UnaryCall<TxnRequest> call, TxnRequest request) {
      if (!core.quota().allows(Commands.cost(request))) {
        core.failNoSpace(call);
        return;
      }
      Validation.txn(request, core.limits().maxTxnOps());
      if (!onlyRanges(request)) {
        call.waitsFor(
            proposer.propose(
                Commands.txn(request),
                InternalRaftRequest.TXN_FIELD_NUMBER,
                call.requestBytes(),
                call));
      } else if (isSerializable(request)) {
        readable(call);
      } else {
        reads.await(call);
      }
    }

    @Override
    public void readable(UnaryCall<TxnRequest> call) {
      var txn = Commands.convert(call.request());
      if (isSmall(txn.success()) && isSmall(txn.failure())) {
        call.reply(read(txn));
      } else {
        bigReads.submit(call, send -> send.accept(read(txn)));
      }
    }

    private WireMessage read(dev.etcdj.mvcc.txn.Txn txn) {
      OpResult.Nested result = core.stores().kv().readOnlyTxn(txn);
      return new Replies.Txn(core.headers().encode(result.revision()), result);
    }

    private boolean isSmall(List<Op> ops) {
      for (Op op : ops) {
        if (!(op instanceof Op.Range range) || !KvService.this.isSmall(range.query())) {
          return false;
        }
      }
      return true;
    }
  }

  /// KV-94.
  private static boolean onlyRanges(TxnRequest request) {
    return onlyRanges(request.getSuccessList()) && onlyRanges(request.getFailureList());
  }

  private static boolean onlyRanges(List<RequestOp> ops) {
    for (RequestOp op : ops) {
      if (!op.hasRequestRange()) {
        return false;
      }
    }
    return true;
  }

  /// KV-94, KV-95.
  private static boolean isSerializable(TxnRequest request) {
    return isSerializable(request.getSuccessList()) && isSerializable(request.getFailureList());
  }

  private static boolean isSerializable(List<RequestOp> ops) {
    for (RequestOp op : ops) {
      if (!op.getRequestRange().getSerializable()) {
        return false;
      }
    }
    return true;
  }

  private final class Compact implements UnaryMethod<CompactionRequest> {
    @Override
    public void start(UnaryCall<CompactionRequest> call, CompactionRequest request) {
      call.waitsFor(
          proposer.propose(
              new Command.Compact(request.getRevision()),
              InternalRaftRequest.COMPACTION_FIELD_NUMBER,
              call.requestBytes(),
              call));
    }

    @Override
    public void applied(UnaryCall<CompactionRequest> call, ApplyResult result) {
      if (!(result instanceof ApplyResult.Compacted compacted)) {
        throw new IllegalStateException("a compaction came to " + result);
      }
      if (!call.request().getPhysical()) {
        answer(call, compacted);
        return;
      }
      KvStore kv = core.stores().kv();
      CompletableFuture<Void> done =
          compacted.physicalDone().thenCompose(_ -> core.stores().backend().commit());
      var _ =
          done.whenComplete(
              (_, failure) ->
                  call.loop()
                      .execute(
                          () -> {
                            if (failure != null && kv == core.stores().kv()) {
                              call.fail(RpcError.STOPPED.exception());
                            } else {
                              call.guarded(() -> answer(call, compacted));
                            }
                          }));
    }

    private void answer(UnaryCall<CompactionRequest> call, ApplyResult.Compacted compacted) {
      EtcdException refusal = compacted.refusal();
      if (refusal != null) {
        call.fail(refusal);
      } else {
        call.reply(
            CompactionResponse.newBuilder()
                .setHeader(core.headers().message(compacted.revision()))
                .build());
      }
    }
  }
}
