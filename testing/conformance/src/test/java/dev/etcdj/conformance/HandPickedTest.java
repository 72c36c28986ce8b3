package dev.etcdj.conformance;

import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.nio.file.Path;
import java.util.List;
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
  private static @Nullable Pair shared;

  @AfterAll
  static void stop() throws Exception {
    if (shared != null) {
      shared.close();
    }
  }

  @TestFactory
  Stream<DynamicContainer> answersAsEtcdDoes() {
    Path etcd = EtcdServer.binary().orElseGet(() -> abort(Oracle.MISSING));
    return HandPicked.FILES.stream()
        .map(
            file ->
                DynamicContainer.dynamicContainer(
                    file,
                    HandPicked.file(file).stream()
                        .map(p -> DynamicTest.dynamicTest(p.name(), () -> compare(etcd, p)))));
  }

  private static void compare(Path etcd, Program program) throws Exception {
    List<Difference> differences;
    if (program.fresh()) {
      try (Pair pair = Pair.start(etcd)) {
        differences = pair.differences(program);
      }
    } else {
      if (shared == null) {
        shared = Pair.start(etcd);
      }
      differences = shared.differences(program);
    }
    if (!differences.isEmpty()) {
      fail(
          differences.stream()
              .map(Difference::toString)
              .collect(Collectors.joining("\n", program.name() + "\n", "")));
    }
  }
}
