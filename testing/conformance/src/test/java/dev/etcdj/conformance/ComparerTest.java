package dev.etcdj.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import com.google.protobuf.UnknownFieldSet;
import dev.etcdj.proto.etcdserverpb.LeaseTimeToLiveResponse;
import dev.etcdj.proto.etcdserverpb.PutResponse;
import dev.etcdj.proto.etcdserverpb.RangeResponse;
import dev.etcdj.proto.etcdserverpb.ResponseHeader;
import dev.etcdj.proto.etcdserverpb.ResponseOp;
import dev.etcdj.proto.etcdserverpb.TxnResponse;
import dev.etcdj.proto.etcdserverpb.WatchResponse;
import dev.etcdj.proto.mvccpb.Event;
import dev.etcdj.proto.mvccpb.KeyValue;
import io.grpc.Status;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Guarantee: an answer that breaks a rule is found, and rule and field are named. Method: an
/// answer is doctored and played through the comparison.
final class ComparerTest {
  private static final Program CITED =
      Script.read("f.txt", "case KV-44: order by key\nrange { key: \"a\" range_end: \"c\" }")
          .getFirst();

  private static Program generated(String line) {
    Program program = Script.read("f.txt", "case KV-0: x\n" + line).getFirst();
    return new Program("seed 1", List.of(), false, program.steps());
  }

  private static KeyValue kv(String key, long revision, long version) {
    return KeyValue.newBuilder()
        .setKey(ByteString.copyFromUtf8(key))
        .setCreateRevision(revision)
        .setModRevision(revision)
        .setVersion(version)
        .build();
  }

  private static ResponseHeader header(long member, long revision) {
    return ResponseHeader.newBuilder()
        .setClusterId(member)
        .setMemberId(member + 1)
        .setRaftTerm(member + 2)
        .setRevision(revision)
        .build();
  }

  private static RangeResponse found(long member, KeyValue... kvs) {
    return RangeResponse.newBuilder()
        .setHeader(header(member, 9))
        .addAllKvs(List.of(kvs))
        .setCount(kvs.length)
        .build();
  }

  private static Transcript said(Outcome... outcomes) {
    return new Transcript(1, List.of(outcomes), Map.of(), List.of());
  }

  private static List<Difference> compare(Program program, Message etcd, Message own) {
    return Comparer.compare(
        program, said(Outcome.of(List.of(etcd))), said(Outcome.of(List.of(own))));
  }

  private static void assertNames(List<Difference> found, String rule, String field) {
    assertTrue(
        found.stream().anyMatch(d -> d.rules().contains(rule) && d.where().contains(field)),
        () -> rule + " " + field + " not in " + found);
  }

  @Test
  void idsAndTermsMayDiffer() {
    assertEquals(List.of(), compare(CITED, found(1, kv("a", 2, 1)), found(70, kv("a", 2, 1))));
  }

  @Test
  void wrongOrder() {
    List<Difference> found =
        compare(
            CITED, found(1, kv("a", 2, 1), kv("b", 3, 1)), found(1, kv("b", 3, 1), kv("a", 2, 1)));
    assertNames(found, "KV-44", "kvs[0].key");
    assertTrue(found.getFirst().toString().contains("KV-44: step 1, range { key: \"a\""));
  }

  @Test
  void wrongVersionInAGeneratedProgram() {
    List<Difference> found =
        compare(
            generated("range { key: \"a\" }"), found(1, kv("a", 2, 2)), found(1, kv("a", 2, 1)));
    assertEquals(1, found.size());
    assertNames(found, "KV-4", "kvs[0].version");
    assertEquals("2", found.getFirst().etcd());
    assertEquals("1", found.getFirst().own());
  }

  @Test
  void wrongRevisionCountAndMore() {
    RangeResponse right = found(1, kv("a", 2, 1));
    RangeResponse wrong =
        right.toBuilder().setHeader(header(1, 10)).setCount(2).setMore(true).build();
    List<Difference> found = compare(generated("range { key: \"a\" }"), right, wrong);
    assertNames(found, "KV-12", "header.revision");
    assertNames(found, "KV-39", "count");
    assertNames(found, "KV-38", "more");
    assertEquals(3, found.size());
  }

  @Test
  void presenceOfAnEmptyHeaderInsideATransaction() {
    TxnResponse with =
        TxnResponse.newBuilder()
            .addResponses(
                ResponseOp.newBuilder()
                    .setResponsePut(
                        PutResponse.newBuilder().setHeader(ResponseHeader.getDefaultInstance())))
            .build();
    TxnResponse without =
        TxnResponse.newBuilder()
            .addResponses(ResponseOp.newBuilder().setResponsePut(PutResponse.getDefaultInstance()))
            .build();
    assertNames(
        compare(generated("txn { }"), with, without),
        "KV-13",
        "presence of responses[0].response_put.header");
  }

  @Test
  void unknownFields() {
    RangeResponse right = found(1, kv("a", 2, 1));
    RangeResponse more =
        right.toBuilder()
            .setUnknownFields(
                UnknownFieldSet.newBuilder()
                    .addField(99, UnknownFieldSet.Field.newBuilder().addVarint(1).build())
                    .build())
            .build();
    assertNames(compare(CITED, right, more), "KV-44", "unknown fields");
  }

  @Test
  void codeAndText() {
    Program program = generated("put { }");
    Status right = Status.INVALID_ARGUMENT.withDescription("etcdserver: key is not provided");
    Status code = Status.UNKNOWN.withDescription("etcdserver: key is not provided");
    Status text = Status.INVALID_ARGUMENT.withDescription("key is not provided");
    Transcript etcd = said(Outcome.of(right, List.of()));
    assertNames(
        Comparer.compare(program, etcd, said(Outcome.of(code, List.of()))), "KV-65", "code");
    assertNames(
        Comparer.compare(program, etcd, said(Outcome.of(text, List.of()))), "KV-65", "text");
  }

  @Test
  void missingEvent() {
    Program program = generated("watch A create { key: \"a\" prev_kv: true }");
    Event put = Event.newBuilder().setKv(kv("a", 2, 1)).build();
    Event again = Event.newBuilder().setKv(kv("a", 3, 2)).setPrevKv(kv("a", 2, 1)).build();
    Outcome created = Outcome.of(List.of(WatchResponse.newBuilder().setCreated(true).build()));
    List<Difference> found =
        Comparer.compare(program, stream(created, put, again), stream(created, put));
    assertNames(found, "WATCH-110", "stream A, watcher 0: number of items");
    List<Difference> previous =
        Comparer.compare(
            program,
            stream(created, again),
            stream(created, again.toBuilder().clearPrevKv().build()));
    assertNames(previous, "WATCH-57", "stream A, watcher 0: item 0");
  }

  private static Transcript stream(Outcome created, Event... events) {
    return new Transcript(
        1,
        List.of(created),
        Map.of("A", List.of(WatchResponse.newBuilder().addAllEvents(List.of(events)).build())),
        List.of());
  }

  /// WATCH-34: when a watcher's turn comes, a second compaction may have overtaken the first.
  @Test
  void whichOfTwoCompactionsEndedAWatcherDependsOnTime() {
    String compact = "compact { revision: 2 }";
    Program twice = generated(compact + "\n" + compact);
    assertEquals(List.of(), Comparer.compare(twice, ended(2, 7), ended(2, 5)));
    Program once = generated(compact);
    assertNames(
        Comparer.compare(once, ended(1, 7), ended(1, 5)),
        "WATCH-110",
        "stream A, watcher 0: item 0");
  }

  private static Transcript ended(int steps, long compactRevision) {
    WatchResponse cancel =
        WatchResponse.newBuilder().setCanceled(true).setCompactRevision(compactRevision).build();
    return new Transcript(
        1,
        Collections.nCopies(steps, Outcome.of(List.of())),
        Map.of("A", List.of(cancel)),
        List.of());
  }

  @Test
  void brokenPromisesOfAStream() {
    Transcript good = said();
    Transcript bad =
        new Transcript(1, List.of(), Map.of(), List.of("WATCH-43: revision 2 after 3"));
    Program empty = new Program("seed 1", List.of(), false, List.of());
    assertTrue(Comparer.compare(empty, good, bad).getFirst().own().contains("WATCH-43"));
  }

  @Test
  void remainingTimeMayDifferBySeconds() {
    Program program = generated("ttl { ID: 7 }");
    LeaseTimeToLiveResponse one = LeaseTimeToLiveResponse.newBuilder().setID(7).setTTL(50).build();
    assertEquals(List.of(), compare(program, one, one.toBuilder().setTTL(49).build()));
    assertNames(compare(program, one, one.toBuilder().setTTL(40).build()), "LEASE-62", "TTL");
    assertNames(compare(program, one, one.toBuilder().setTTL(-1).build()), "LEASE-62", "TTL");
  }
}
