package dev.etcdj.conformance;

import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import com.google.protobuf.ByteString;
import dev.etcdj.proto.etcdserverpb.PutRequest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/// Guarantee: each hand-picked program is answered by us as by real etcd. Method: both servers play
/// it, answers are compared field by field. Expectation: real etcd 3.7.1.
final class HandPickedTest {
  private static final String FILES =
      System.getProperty("files", String.join(",", HandPicked.FILES));

  private static final int PATIENCE_SECONDS = 20;

  private static @Nullable EqualPair shared;

  @AfterAll
  static void stop() throws Exception {
    EqualPair old = shared;
    shared = null;
    if (old != null) {
      old.close();
    }
  }

  @TestFactory
  Stream<DynamicContainer> answersAsEtcdDoes() {
    Path etcd = EtcdServer.binary().orElseGet(() -> abort(Oracle.MISSING));
    return Arrays.stream(FILES.split(","))
        .map(
            file ->
                DynamicContainer.dynamicContainer(
                    file,
                    HandPicked.file(file).stream()
                        .map(p -> DynamicTest.dynamicTest(p.name(), () -> compare(etcd, p)))));
  }

  /// What was stored is compared too, at the end. A put goes before, for a hash at a compaction
  /// depends on whether that has finished (KV-114).
  private static final List<Step> HASH =
      List.of(
          new Step.Call(
              Verb.PUT,
              PutRequest.newBuilder().setKey(ByteString.copyFromUtf8("end")).build(),
              Map.of()),
          new Step.Call(Verb.HASH_KV, Verb.HASH_KV.request(), Map.of()));

  private static void compare(Path etcd, Program given) throws Exception {
    List<Step> steps = new ArrayList<>(given.steps());
    if (!given.fresh()) {
      steps.addAll(HASH);
    }
    Program program = given.with(steps);
    List<Difference> differences;
    if (program.fresh()) {
      try (EqualPair pair = new EqualPair(etcd, PATIENCE_SECONDS)) {
        differences = pair.play(program).differences();
      }
    } else {
      if (shared == null) {
        shared = new EqualPair(etcd, PATIENCE_SECONDS);
      }
      differences = shared.play(program).differences();
    }
    if (!differences.isEmpty()) {
      String text =
          differences.stream()
              .map(Difference::toString)
              .collect(Collectors.joining("\n", program.name() + "\n", ""));
      System.out.println(text);
      fail(text);
    }
  }
}
