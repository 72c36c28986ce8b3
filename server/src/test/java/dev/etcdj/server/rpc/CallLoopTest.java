package dev.etcdj.server.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Guarantee: no call keeps a loop from the rest of its work. Method: a real event loop, told what
/// to do in an order that only taking turns can change.
final class CallLoopTest {
  private static final long TURN_AND_MORE_NANOS = 2_000_000;

  private final MultiThreadIoEventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());

  @AfterEach
  void stop() {
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }

  /// Netty looks at its sockets and at what is due in the same place.
  @Test
  void callsThatNeverEndLeaveTheLoopToItsSockets() throws Exception {
    CompletableFuture<Integer> executed = new CompletableFuture<>();
    group.execute(
        () -> {
          CallLoop loop = CallLoop.current();
          int[] count = {0};
          Runnable again =
              new Runnable() {
                @Override
                public void run() {
                  count[0]++;
                  if (!executed.isDone()) {
                    loop.enqueue(this);
                  }
                }
              };
          loop.enqueue(again);
          var unused = group.schedule(() -> executed.complete(count[0]), 1, TimeUnit.NANOSECONDS);
        });
    int tasks = executed.get(30, TimeUnit.SECONDS);
    assertTrue(tasks <= 1_024, () -> tasks + " calls before the loop looked elsewhere");
  }

  @Test
  void thePatientLetOthersGoFirst() throws Exception {
    List<String> order = new ArrayList<>();
    CompletableFuture<List<String>> done = new CompletableFuture<>();
    group.execute(
        () -> {
          CallLoop loop = CallLoop.current();
          loop.enqueuePatient(
              () -> {
                order.add("patient 1");
                loop.enqueue(() -> order.add("call"));
                spin(TURN_AND_MORE_NANOS);
              });
          loop.enqueuePatient(
              () -> {
                order.add("patient 2");
                done.complete(order);
              });
        });
    assertEquals(List.of("patient 1", "call", "patient 2"), done.get(30, TimeUnit.SECONDS));
  }

  @Test
  void aPatientTaskMayQueueItselfAgain() throws Exception {
    CompletableFuture<Integer> done = new CompletableFuture<>();
    group.execute(
        () -> {
          CallLoop loop = CallLoop.current();
          int[] left = {1_000};
          loop.enqueuePatient(
              new Runnable() {
                @Override
                public void run() {
                  if (--left[0] > 0) {
                    loop.enqueuePatient(this);
                  } else {
                    done.complete(left[0]);
                  }
                }
              });
        });
    assertEquals(0, done.get(30, TimeUnit.SECONDS));
  }

  private static void spin(long nanos) {
    long until = System.nanoTime() + nanos;
    while (System.nanoTime() < until) {
      Thread.onSpinWait();
    }
  }
}
