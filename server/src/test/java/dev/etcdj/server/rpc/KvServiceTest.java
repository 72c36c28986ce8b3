package dev.etcdj.server.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.etcdj.proto.etcdserverpb.AlarmRequest;
import dev.etcdj.proto.etcdserverpb.AlarmType;
import dev.etcdj.proto.etcdserverpb.CompactionRequest;
import dev.etcdj.proto.etcdserverpb.Compare;
import dev.etcdj.proto.etcdserverpb.DeleteRangeRequest;
import dev.etcdj.proto.etcdserverpb.HashKVRequest;
import dev.etcdj.proto.etcdserverpb.KVGrpc;
import dev.etcdj.proto.etcdserverpb.MaintenanceGrpc;
import dev.etcdj.proto.etcdserverpb.MemberListRequest;
import dev.etcdj.proto.etcdserverpb.PutRequest;
import dev.etcdj.proto.etcdserverpb.PutResponse;
import dev.etcdj.proto.etcdserverpb.RangeRequest;
import dev.etcdj.proto.etcdserverpb.RangeResponse;
import dev.etcdj.proto.etcdserverpb.RequestOp;
import dev.etcdj.proto.etcdserverpb.ResponseHeader;
import dev.etcdj.proto.etcdserverpb.StatusRequest;
import dev.etcdj.proto.etcdserverpb.TxnRequest;
import dev.etcdj.proto.etcdserverpb.TxnResponse;
import dev.etcdj.server.apply.ScriptedRaft;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Guarantees the KV service's answers on the wire, field by field, as a client's generated code
/// reads them. Source: kv.md.
class KvServiceTest {
  private TestMember member;
  private KVGrpc.KVBlockingStub kv;

  @BeforeEach
  void start() throws Exception {
    member = new TestMember(-1);
    kv = KVGrpc.newBlockingStub(member.channel);
  }

  @AfterEach
  void stop() throws Exception {
    member.close();
  }

  static ByteString bytes(String text) {
    return ByteString.copyFromUtf8(text);
  }

  static PutRequest put(String key, String value) {
    return PutRequest.newBuilder().setKey(bytes(key)).setValue(bytes(value)).build();
  }

  static RangeRequest get(String key) {
    return RangeRequest.newBuilder().setKey(bytes(key)).build();
  }

  static RangeRequest prefix(String from, String to) {
    return RangeRequest.newBuilder().setKey(bytes(from)).setRangeEnd(bytes(to)).build();
  }

  @Test
  void putAndGet() {
    PutResponse first = kv.put(put("a", "1"));
    // KV-1, KV-10
    assertEquals(
        ResponseHeader.newBuilder()
            .setClusterId(0xc1)
            .setMemberId(ScriptedRaft.SELF)
            .setRevision(2)
            .setRaftTerm(1)
            .build(),
        first.getHeader());
    assertFalse(first.hasPrevKv());
    PutResponse second = kv.put(put("a", "2").toBuilder().setPrevKv(true).build());
    assertEquals("1", second.getPrevKv().getValue().toStringUtf8());

    RangeResponse read = kv.range(get("a"));
    assertEquals(3, read.getHeader().getRevision());
    assertEquals(1, read.getCount());
    assertEquals("2", read.getKvs(0).getValue().toStringUtf8());
    assertEquals(2, read.getKvs(0).getCreateRevision());
    assertEquals(3, read.getKvs(0).getModRevision());
    assertEquals(2, read.getKvs(0).getVersion());
    RangeResponse old = kv.range(get("a").toBuilder().setRevision(2).setSerializable(true).build());
    assertEquals("1", old.getKvs(0).getValue().toStringUtf8());
  }

  @Test
  void deleteReturnsWhatItRemoved() {
    for (String key : List.of("a", "b", "c")) {
      var _ = kv.put(put(key, "v" + key));
    }
    var deleted =
        kv.deleteRange(
            DeleteRangeRequest.newBuilder()
                .setKey(bytes("a"))
                .setRangeEnd(bytes("c"))
                .setPrevKv(true)
                .build());
    assertEquals(2, deleted.getDeleted());
    assertEquals(
        List.of("va", "vb"),
        deleted.getPrevKvsList().stream().map(kv -> kv.getValue().toStringUtf8()).toList());
    assertEquals(5, deleted.getHeader().getRevision());
    // KV-74
    var nothing = kv.deleteRange(DeleteRangeRequest.newBuilder().setKey(bytes("a")).build());
    assertEquals(0, nothing.getDeleted());
    assertEquals(5, nothing.getHeader().getRevision());
  }

  @Test
  void txnAnswersEachOperation() {
    var _ = kv.put(put("a", "1"));
    TxnRequest nested =
        TxnRequest.newBuilder()
            .addSuccess(RequestOp.newBuilder().setRequestPut(put("n", "x")))
            .build();
    TxnResponse response =
        kv.txn(
            TxnRequest.newBuilder()
                .addCompare(
                    Compare.newBuilder()
                        .setKey(bytes("a"))
                        .setTarget(Compare.CompareTarget.VALUE)
                        .setValue(bytes("1")))
                .addSuccess(RequestOp.newBuilder().setRequestRange(get("a")))
                .addSuccess(RequestOp.newBuilder().setRequestPut(put("b", "2")))
                .addSuccess(RequestOp.newBuilder().setRequestTxn(nested))
                .addSuccess(
                    RequestOp.newBuilder()
                        .setRequestDeleteRange(DeleteRangeRequest.newBuilder().setKey(bytes("a"))))
                .addFailure(RequestOp.newBuilder().setRequestRange(get("a")))
                .build());
    assertTrue(response.getSucceeded());
    assertEquals(4, response.getResponsesCount());
    assertEquals(3, response.getHeader().getRevision());
    // KV-13, KV-91
    assertEquals(
        ResponseHeader.newBuilder().setRevision(2).build(),
        response.getResponses(0).getResponseRange().getHeader());
    assertEquals(
        ResponseHeader.newBuilder().setRevision(3).build(),
        response.getResponses(1).getResponsePut().getHeader());
    TxnResponse inner = response.getResponses(2).getResponseTxn();
    assertTrue(inner.hasHeader());
    assertEquals(ResponseHeader.getDefaultInstance(), inner.getHeader());
    assertTrue(inner.getSucceeded());
    assertEquals(1, response.getResponses(3).getResponseDeleteRange().getDeleted());
  }

  @Test
  void readOnlyTxnIsNotReplicated() {
    var _ = kv.put(put("a", "1"));
    int before = member.raft.log.size();
    TxnResponse response =
        kv.txn(
            TxnRequest.newBuilder()
                .addSuccess(RequestOp.newBuilder().setRequestRange(get("a")))
                .build());
    assertEquals(
        "1", response.getResponses(0).getResponseRange().getKvs(0).getValue().toStringUtf8());
    assertEquals(before, member.raft.log.size());
  }

  @Test
  void errorsHaveEtcdsTextAndCode() {
    StatusRuntimeException empty =
        assertThrows(StatusRuntimeException.class, () -> kv.put(put("", "v")));
    assertEquals(Status.Code.INVALID_ARGUMENT, empty.getStatus().getCode());
    assertEquals("etcdserver: key is not provided", empty.getStatus().getDescription());
    StatusRuntimeException future =
        assertThrows(
            StatusRuntimeException.class,
            () -> kv.range(get("a").toBuilder().setRevision(99).build()));
    assertEquals(Status.Code.OUT_OF_RANGE, future.getStatus().getCode());
    StatusRuntimeException large =
        assertThrows(
            StatusRuntimeException.class,
            () ->
                kv.put(
                    PutRequest.newBuilder()
                        .setKey(bytes("k"))
                        .setValue(ByteString.copyFrom(new byte[1_572_864]))
                        .build()));
    assertEquals("etcdserver: request is too large", large.getStatus().getDescription());
    StatusRuntimeException unimplemented =
        assertThrows(
            StatusRuntimeException.class,
            () ->
                MaintenanceGrpc.newBlockingStub(member.channel)
                    .defragment(
                        dev.etcdj.proto.etcdserverpb.DefragmentRequest.getDefaultInstance()));
    assertEquals(Status.Code.UNIMPLEMENTED, unimplemented.getStatus().getCode());
  }

  @Test
  void compaction() {
    for (int i = 0; i < 5; i++) {
      var _ = kv.put(put("a", "" + i));
    }
    // KV-105, KV-106
    var done = kv.compact(CompactionRequest.newBuilder().setRevision(4).setPhysical(true).build());
    assertEquals(6, done.getHeader().getRevision());
    StatusRuntimeException again =
        assertThrows(
            StatusRuntimeException.class,
            () ->
                kv.compact(
                    CompactionRequest.newBuilder().setRevision(4).setPhysical(true).build()));
    assertEquals(
        "etcdserver: mvcc: required revision has been compacted",
        again.getStatus().getDescription());
    StatusRuntimeException read =
        assertThrows(
            StatusRuntimeException.class,
            () -> kv.range(get("a").toBuilder().setRevision(3).build()));
    assertEquals(Status.Code.OUT_OF_RANGE, read.getStatus().getCode());
  }

  @Test
  void bigRangesAndStreamsAgree() {
    ByteString value = ByteString.copyFrom(new byte[2_000]);
    for (int i = 0; i < 3_000; i++) {
      var _ =
          kv.put(
              PutRequest.newBuilder().setKey(bytes("k%05d".formatted(i))).setValue(value).build());
    }
    // More than the event loop reads by itself: goes through the big-read turns.
    RangeResponse whole = kv.range(prefix("k", "l"));
    assertEquals(3_000, whole.getKvsCount());
    assertEquals(3_000, whole.getCount());
    assertFalse(whole.getMore());
    assertEquals(whole, streamed(prefix("k", "l")));
    RangeRequest limited = prefix("k", "l").toBuilder().setLimit(1_234).build();
    RangeResponse page = kv.range(limited);
    assertTrue(page.getMore());
    assertEquals(3_000, page.getCount());
    assertEquals(page, streamed(limited));
    RangeResponse descending =
        kv.range(
            prefix("k", "l").toBuilder()
                .setSortOrder(RangeRequest.SortOrder.DESCEND)
                .setSortTarget(RangeRequest.SortTarget.CREATE)
                .build());
    assertEquals(whole.getKvsList().reversed(), descending.getKvsList());
    StatusRuntimeException future =
        assertThrows(
            StatusRuntimeException.class,
            () -> kv.range(prefix("k", "l").toBuilder().setRevision(99_999).build()));
    assertEquals(Status.Code.OUT_OF_RANGE, future.getStatus().getCode());
    // KV-59, KV-56
    RangeRequest counted = prefix("k", "l").toBuilder().setCountOnly(true).build();
    assertEquals(kv.range(counted), streamed(counted));
    assertEquals(kv.range(get("none")), streamed(get("none")));
    StatusRuntimeException sorted =
        assertThrows(
            StatusRuntimeException.class,
            () ->
                streamed(
                    prefix("k", "l").toBuilder()
                        .setSortOrder(RangeRequest.SortOrder.DESCEND)
                        .build()));
    assertEquals(Status.Code.UNIMPLEMENTED, sorted.getStatus().getCode());
  }

  /// All chunks put together (KV-56).
  private RangeResponse streamed(RangeRequest request) {
    RangeResponse.Builder all = RangeResponse.newBuilder();
    List<RangeResponse> chunks = new ArrayList<>();
    kv.rangeStream(request).forEachRemaining(chunk -> chunks.add(chunk.getRangeResponse()));
    for (RangeResponse chunk : chunks.subList(0, chunks.size() - 1)) {
      assertFalse(chunk.hasHeader());
      assertEquals(0, chunk.getCount());
    }
    chunks.forEach(all::mergeFrom);
    return all.build();
  }

  @Test
  void alarmsBlockWritesUntilDisarmed() {
    var maintenance = MaintenanceGrpc.newBlockingStub(member.channel);
    AlarmRequest raise =
        AlarmRequest.newBuilder()
            .setAction(AlarmRequest.AlarmAction.ACTIVATE)
            .setMemberID(ScriptedRaft.SELF)
            .setAlarm(AlarmType.NOSPACE)
            .build();
    assertEquals(1, maintenance.alarm(raise).getAlarmsCount());
    // KV-123
    StatusRuntimeException refused =
        assertThrows(StatusRuntimeException.class, () -> kv.put(put("a", "1")));
    assertEquals(Status.Code.RESOURCE_EXHAUSTED, refused.getStatus().getCode());
    var _ = kv.deleteRange(DeleteRangeRequest.newBuilder().setKey(bytes("a")).build());
    // CLUS-132
    var status = maintenance.status(StatusRequest.getDefaultInstance());
    assertEquals(1, status.getErrorsCount());
    assertTrue(status.getErrors(0).endsWith(" alarm:NOSPACE"), status.getErrors(0));
    var lower = raise.toBuilder().setAction(AlarmRequest.AlarmAction.DEACTIVATE).build();
    assertEquals(1, maintenance.alarm(lower).getAlarmsCount());
    assertEquals(0, maintenance.alarm(lower).getAlarmsCount());
    assertEquals(2, kv.put(put("a", "1")).getHeader().getRevision());
    StatusRuntimeException unknown =
        assertThrows(
            StatusRuntimeException.class,
            () -> maintenance.alarm(AlarmRequest.newBuilder().setActionValue(7).build()));
    assertEquals(Status.Code.INVALID_ARGUMENT, unknown.getStatus().getCode());
  }

  @Test
  void statusHashAndMembers() {
    var _ = kv.put(put("a", "1"));
    var maintenance = MaintenanceGrpc.newBlockingStub(member.channel);
    var status = maintenance.status(StatusRequest.getDefaultInstance());
    assertEquals("3.7.1", status.getVersion());
    assertEquals(ScriptedRaft.SELF, status.getLeader());
    assertEquals(3, status.getRaftAppliedIndex());
    assertTrue(status.hasDowngradeInfo());
    assertEquals(-1, status.getDbSizeQuota());
    var hash = maintenance.hashKV(HashKVRequest.getDefaultInstance());
    assertEquals(2, hash.getHashRevision());
    assertEquals(-1, hash.getCompactRevision());
    var members =
        dev.etcdj.proto.etcdserverpb.ClusterGrpc.newBlockingStub(member.channel)
            .memberList(MemberListRequest.newBuilder().setLinearizable(true).build());
    assertEquals(ScriptedRaft.SELF, members.getMembers(0).getID());
    // KV-14
    assertEquals(0, members.getHeader().getRevision());
  }
}
