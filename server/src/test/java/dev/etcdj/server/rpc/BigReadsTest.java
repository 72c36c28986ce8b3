package dev.etcdj.server.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.protobuf.CodedOutputStream;
import dev.etcdj.proto.etcdserverpb.RangeRequest;
import dev.etcdj.proto.status.EtcdException;
import dev.etcdj.proto.status.RpcError;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;

/// Guarantees the turns and the memory bound of big reads, with an executor that the test drives.
class BigReadsTest {
  private final Queue<Runnable> tasks = new ArrayDeque<>();
  private final List<String> order = new ArrayList<>();
  private final BigReads reads = new BigReads(new BigReads.Limits(10, 100), tasks::add);

  private final List<WireMessage> sent = new ArrayList<>();

  private record Sized(int serializedSize) implements WireMessage {
    @Override
    public void writeTo(CodedOutputStream out) {}
  }

  private UnaryCall<RangeRequest> submit(String name, int connection, int bytes) {
    return submit(
        connection,
        send -> {
          order.add(name);
          send.accept(new Sized(bytes));
        });
  }

  private UnaryCall<RangeRequest> submit(int connection, BigReads.Read read) {
    UnaryCall<RangeRequest> call =
        new UnaryCall<>((_, _) -> {}, new RecordingCall(connection, sent));
    reads.submit(call, read);
    return call;
  }

  private void runAll() {
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      task.run();
    }
  }

  @Test
  void connectionsTakeTurns() {
    for (int i = 1; i <= 4; i++) {
      var _ = submit("greedy" + i, 1, 1);
    }
    var _ = submit("modest", 2, 1);
    var _ = submit("other", 3, 1);
    assertEquals(1, tasks.size(), "one at a time");
    runAll();
    assertEquals(List.of("greedy1", "greedy2", "modest", "other", "greedy3", "greedy4"), order);
    assertEquals(0, reads.waiting());
  }

  @Test
  void nothingIsReadWhileTooMuchIsUnderWay() {
    var first = submit("a", 1, 60);
    var second = submit("b", 2, 60);
    var _ = submit("c", 3, 60);
    runAll();
    assertEquals(List.of("a", "b"), order);
    first.onComplete();
    runAll();
    assertEquals(List.of("a", "b", "c"), order);
    // A client that goes away gives back, too; only once.
    second.onCancel();
    second.onComplete();
    var _ = submit("d", 1, 100);
    var _ = submit("e", 1, 1);
    runAll();
    assertEquals(List.of("a", "b", "c", "d"), order);
  }

  @Test
  void aClientThatIsGoneIsNeitherReadForNorAnswered() {
    var waiting = submit("a", 1, 60);
    waiting.onCancel();
    runAll();
    assertEquals(List.of(), order);
    List<UnaryCall<RangeRequest>> calls = new ArrayList<>();
    calls.add(
        submit(
            1,
            send -> {
              calls.getFirst().onCancel();
              send.accept(new Sized(1_000));
            }));
    runAll();
    assertEquals(List.of(), sent);
    // And nothing of it is held.
    var _ = submit("b", 1, 60);
    runAll();
    assertEquals(List.of("b"), order);
  }

  @Test
  void aReadThatFailsHoldsNothingUp() {
    var _ =
        submit(
            1,
            _ -> {
              throw RpcError.COMPACTED.exception();
            });
    var _ = submit("b", 1, 60);
    runAll();
    assertEquals(List.of("b"), order);
    assertEquals(1, sent.size());
  }

  @Test
  void atTheLimitReadsAreRefused() {
    for (int i = 0; i < 11; i++) {
      var _ = submit("r", 1, 1);
    }
    EtcdException refused = assertThrows(EtcdException.class, () -> submit("late", 1, 1));
    assertEquals("etcdserver: too many requests", refused.text());
    runAll();
    assertEquals(11, order.size());
  }
}
