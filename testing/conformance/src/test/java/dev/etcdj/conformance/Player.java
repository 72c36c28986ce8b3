package dev.etcdj.conformance;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import dev.etcdj.proto.etcdserverpb.RangeRequest;
import io.grpc.CallOptions;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Plays programs to one server, one at a time. For one thread.
final class Player {
  private static final long START_SECONDS = 300;
  private static final long SECOND_NANOS = 1_000_000_000;

  private final Target target;
  private boolean used;

  Player(Target target) {
    this.target = target;
  }

  /// Waits until the server serves.
  void awaitServing() throws InterruptedException {
    Message any = RangeRequest.newBuilder().setKey(ByteString.copyFromUtf8("any")).build();
    CallOptions options = CallOptions.DEFAULT.withDeadlineAfter(START_SECONDS, TimeUnit.SECONDS);
    while (true) {
      try {
        ClientCalls.blockingUnaryCall(target.channel(), Verb.RANGE.method(), options, any);
        return;
      } catch (StatusRuntimeException e) {
        if (options.getDeadline().isExpired()) {
          throw new AssertionError(target.name() + " does not serve", e);
        }
        Thread.sleep(20);
      }
    }
  }

  /// Begins to play a program, on an emptied key space.
  Run play(Program program) {
    Run run = new Run(target, program.steps());
    boolean mayHaveKeys = used;
    used = true;
    Target.loop().execute(() -> run.begin(mayHaveKeys));
    return run;
  }

  /// Waits for what the server has to say.
  ///
  /// @param patienceSeconds after which one answer counts as not coming
  /// @return the longest time that this thread was kept from running meanwhile, in nanoseconds
  long await(Run run, int patienceSeconds) throws InterruptedException {
    long longest = 0;
    while (!run.transcript().isDone()) {
      long before = System.nanoTime();
      try {
        run.transcript().get(1, TimeUnit.SECONDS);
      } catch (TimeoutException e) {
        Target.loop().execute(() -> run.secondPassed(patienceSeconds));
      } catch (ExecutionException e) {
        // Is told to who asks for the transcript.
      }
      longest = Math.max(longest, System.nanoTime() - before - SECOND_NANOS);
    }
    return longest;
  }
}
