package dev.etcdj.etcdctl.output;

import com.google.protobuf.MessageLite;
import dev.etcdj.client.cluster.Member;
import dev.etcdj.client.cluster.MemberListResponse;
import dev.etcdj.client.kv.DeleteResponse;
import dev.etcdj.client.kv.GetResponse;
import dev.etcdj.client.kv.KeyValue;
import dev.etcdj.client.kv.OpResponse;
import dev.etcdj.client.kv.PutResponse;
import dev.etcdj.client.kv.TxnResponse;
import dev.etcdj.etcdctl.Console;
import dev.etcdj.proto.etcdserverpb.DeleteRangeResponse;
import dev.etcdj.proto.etcdserverpb.RangeResponse;
import dev.etcdj.proto.etcdserverpb.ResponseHeader;
import dev.etcdj.proto.etcdserverpb.ResponseOp;

/// The message's bytes as they are on the wire, without a newline.
final class ProtobufPrinter extends Printer {
  private final Console console;

  ProtobufPrinter(Console console) {
    super("protobuf");
    this.console = console;
  }

  @Override
  public void put(PutResponse response) {
    print(wire(response));
  }

  @Override
  public void get(GetResponse response, View view) {
    print(wire(response));
  }

  @Override
  public void delete(DeleteResponse response) {
    print(wire(response));
  }

  @Override
  public void txn(TxnResponse response) {
    print(wire(response));
  }

  @Override
  public void members(MemberListResponse response) {
    var wire =
        dev.etcdj.proto.etcdserverpb.MemberListResponse.newBuilder()
            .setHeader(wire(response.header()));
    for (Member member : response.members()) {
      wire.addMembers(
          dev.etcdj.proto.etcdserverpb.Member.newBuilder()
              .setID(member.id())
              .setName(member.name())
              .addAllPeerURLs(member.peerUrls())
              .addAllClientURLs(member.clientUrls())
              .setIsLearner(member.isLearner()));
    }
    print(wire.build());
  }

  private void print(MessageLite message) {
    console.bytes(message.toByteString());
  }

  private static ResponseHeader wire(dev.etcdj.client.transport.ResponseHeader header) {
    return ResponseHeader.newBuilder()
        .setClusterId(header.clusterId())
        .setMemberId(header.memberId())
        .setRevision(header.revision())
        .setRaftTerm(header.raftTerm())
        .build();
  }

  private static dev.etcdj.proto.etcdserverpb.PutResponse wire(PutResponse response) {
    var wire =
        dev.etcdj.proto.etcdserverpb.PutResponse.newBuilder().setHeader(wire(response.header()));
    if (response.prevKv() != null) {
      wire.setPrevKv(wire(response.prevKv()));
    }
    return wire.build();
  }

  private static RangeResponse wire(GetResponse response) {
    RangeResponse.Builder wire =
        RangeResponse.newBuilder()
            .setHeader(wire(response.header()))
            .setMore(response.more())
            .setCount(response.count());
    response.kvs().forEach(pair -> wire.addKvs(wire(pair)));
    return wire.build();
  }

  private static DeleteRangeResponse wire(DeleteResponse response) {
    DeleteRangeResponse.Builder wire =
        DeleteRangeResponse.newBuilder()
            .setHeader(wire(response.header()))
            .setDeleted(response.deleted());
    response.prevKvs().forEach(pair -> wire.addPrevKvs(wire(pair)));
    return wire.build();
  }

  private static dev.etcdj.proto.etcdserverpb.TxnResponse wire(TxnResponse response) {
    var wire =
        dev.etcdj.proto.etcdserverpb.TxnResponse.newBuilder()
            .setHeader(wire(response.header()))
            .setSucceeded(response.succeeded());
    for (OpResponse op : response.responses()) {
      ResponseOp.Builder one = ResponseOp.newBuilder();
      switch (op) {
        case GetResponse get -> one.setResponseRange(wire(get));
        case PutResponse put -> one.setResponsePut(wire(put));
        case DeleteResponse delete -> one.setResponseDeleteRange(wire(delete));
        case TxnResponse txn -> one.setResponseTxn(wire(txn));
      }
      wire.addResponses(one);
    }
    return wire.build();
  }

  private static dev.etcdj.proto.mvccpb.KeyValue wire(KeyValue pair) {
    return dev.etcdj.proto.mvccpb.KeyValue.newBuilder()
        .setKey(pair.key())
        .setCreateRevision(pair.createRevision())
        .setModRevision(pair.modRevision())
        .setVersion(pair.version())
        .setValue(pair.value())
        .setLease(pair.lease())
        .build();
  }
}
