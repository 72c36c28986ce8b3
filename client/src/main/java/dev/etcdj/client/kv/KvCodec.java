package dev.etcdj.client.kv;

import dev.etcdj.client.kv.Compare.CreateRevision;
import dev.etcdj.client.kv.Compare.LeaseId;
import dev.etcdj.client.kv.Compare.ModRevision;
import dev.etcdj.client.kv.Compare.Value;
import dev.etcdj.client.kv.Compare.Version;
import dev.etcdj.client.transport.ResponseHeader;
import dev.etcdj.proto.etcdserverpb.DeleteRangeRequest;
import dev.etcdj.proto.etcdserverpb.DeleteRangeResponse;
import dev.etcdj.proto.etcdserverpb.RangeRequest;
import dev.etcdj.proto.etcdserverpb.RangeResponse;
import dev.etcdj.proto.etcdserverpb.RequestOp;
import dev.etcdj.proto.etcdserverpb.ResponseOp;
import java.util.ArrayList;
import java.util.List;

/// Records of this package to their wire form and back.
final class KvCodec {
  private KvCodec() {}

  static RangeRequest range(GetRequest get) {
    GetRequest.RevisionBounds bounds = get.bounds();
    return RangeRequest.newBuilder()
        .setKey(get.range().key())
        .setRangeEnd(get.range().end())
        .setLimit(get.limit())
        .setRevision(get.revision())
        .setSortOrderValue(get.sort().order().ordinal())
        .setSortTargetValue(get.sort().target().ordinal())
        .setSerializable(get.serializable())
        .setKeysOnly(get.content() == GetRequest.Content.KEYS_ONLY)
        .setCountOnly(get.content() == GetRequest.Content.COUNT_ONLY)
        .setMinModRevision(bounds.minMod())
        .setMaxModRevision(bounds.maxMod())
        .setMinCreateRevision(bounds.minCreate())
        .setMaxCreateRevision(bounds.maxCreate())
        .build();
  }

  static dev.etcdj.proto.etcdserverpb.PutRequest put(PutRequest put) {
    return dev.etcdj.proto.etcdserverpb.PutRequest.newBuilder()
        .setKey(put.key())
        .setValue(put.value())
        .setLease(put.lease())
        .setPrevKv(put.prevKv())
        .setIgnoreValue(put.ignoreValue())
        .setIgnoreLease(put.ignoreLease())
        .build();
  }

  static DeleteRangeRequest delete(DeleteRequest delete) {
    return DeleteRangeRequest.newBuilder()
        .setKey(delete.range().key())
        .setRangeEnd(delete.range().end())
        .setPrevKv(delete.prevKv())
        .build();
  }

  static dev.etcdj.proto.etcdserverpb.TxnRequest txn(TxnRequest txn) {
    var wire = dev.etcdj.proto.etcdserverpb.TxnRequest.newBuilder();
    for (Compare compare : txn.compares()) {
      wire.addCompare(compare(compare));
    }
    for (Op op : txn.success()) {
      wire.addSuccess(op(op));
    }
    for (Op op : txn.failure()) {
      wire.addFailure(op(op));
    }
    return wire.build();
  }

  private static RequestOp op(Op op) {
    RequestOp.Builder wire = RequestOp.newBuilder();
    switch (op) {
      case GetRequest get -> wire.setRequestRange(range(get));
      case PutRequest put -> wire.setRequestPut(put(put));
      case DeleteRequest delete -> wire.setRequestDeleteRange(delete(delete));
      case TxnRequest txn -> wire.setRequestTxn(txn(txn));
    }
    return wire.build();
  }

  private static dev.etcdj.proto.etcdserverpb.Compare compare(Compare compare) {
    var wire =
        dev.etcdj.proto.etcdserverpb.Compare.newBuilder()
            .setResultValue(compare.relation().ordinal())
            .setKey(compare.range().key())
            .setRangeEnd(compare.range().end());
    switch (compare.operand()) {
      case Version version ->
          wire.setTarget(dev.etcdj.proto.etcdserverpb.Compare.CompareTarget.VERSION)
              .setVersion(version.version());
      case CreateRevision create ->
          wire.setTarget(dev.etcdj.proto.etcdserverpb.Compare.CompareTarget.CREATE)
              .setCreateRevision(create.revision());
      case ModRevision mod ->
          wire.setTarget(dev.etcdj.proto.etcdserverpb.Compare.CompareTarget.MOD)
              .setModRevision(mod.revision());
      case Value value ->
          wire.setTarget(dev.etcdj.proto.etcdserverpb.Compare.CompareTarget.VALUE)
              .setValue(value.value());
      case LeaseId lease ->
          wire.setTarget(dev.etcdj.proto.etcdserverpb.Compare.CompareTarget.LEASE)
              .setLease(lease.id());
    }
    return wire.build();
  }

  static GetResponse got(RangeResponse wire) {
    return new GetResponse(
        ResponseHeader.of(wire.getHeader()),
        pairs(wire.getKvsList()),
        wire.getMore(),
        wire.getCount());
  }

  static PutResponse put(dev.etcdj.proto.etcdserverpb.PutResponse wire) {
    return new PutResponse(
        ResponseHeader.of(wire.getHeader()),
        wire.hasPrevKv() ? KeyValue.of(wire.getPrevKv()) : null);
  }

  static DeleteResponse deleted(DeleteRangeResponse wire) {
    return new DeleteResponse(
        ResponseHeader.of(wire.getHeader()), wire.getDeleted(), pairs(wire.getPrevKvsList()));
  }

  static TxnResponse txn(dev.etcdj.proto.etcdserverpb.TxnResponse wire) {
    List<OpResponse> responses = new ArrayList<>(wire.getResponsesCount());
    for (ResponseOp op : wire.getResponsesList()) {
      responses.add(
          switch (op.getResponseCase()) {
            case RESPONSE_RANGE -> got(op.getResponseRange());
            case RESPONSE_PUT -> put(op.getResponsePut());
            case RESPONSE_DELETE_RANGE -> deleted(op.getResponseDeleteRange());
            case RESPONSE_TXN -> txn(op.getResponseTxn());
            case RESPONSE_NOT_SET -> throw new IllegalStateException("an empty response in a txn");
          });
    }
    return new TxnResponse(
        ResponseHeader.of(wire.getHeader()), wire.getSucceeded(), List.copyOf(responses));
  }

  static List<KeyValue> pairs(List<dev.etcdj.proto.mvccpb.KeyValue> wire) {
    List<KeyValue> pairs = new ArrayList<>(wire.size());
    for (dev.etcdj.proto.mvccpb.KeyValue pair : wire) {
      pairs.add(KeyValue.of(pair));
    }
    return List.copyOf(pairs);
  }
}
