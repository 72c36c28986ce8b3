package dev.etcdj.simulation.workload;

import com.google.protobuf.MessageLite;
import dev.etcdj.server.apply.ApplyResult;
import dev.etcdj.simulation.world.Member;
import dev.etcdj.simulation.world.World;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.Function;

/// What every client has: a world, chances of its own, a number for the trace.
abstract class Client {
  static final long MILLI = 1_000_000L;

  final World world;
  final SplittableRandom random;
  final int number;

  Client(World world, SplittableRandom random, int number) {
    this.world = world;
    this.random = random;
    this.number = number;
  }

  /// Lets the client do its first thing some time.
  abstract void begin();

  /// Does `what` some time within so long.
  final void within(long nanos, Runnable what) {
    world.time().after(random.nextLong(nanos), what);
  }

  /// Proposes `request` at a member.
  ///
  /// @param refusal what `then` gets for certain when there was nobody to ask
  /// @param reading makes of the result what `then` is to get
  /// @param then gets null when the answer does not come
  static <T> void propose(
      World world,
      Member member,
      long patienceNanos,
      T refusal,
      int field,
      MessageLite request,
      Function<ApplyResult, T> reading,
      Consumer<T> then) {
    Call.make(
        world,
        member,
        patienceNanos,
        refusal,
        (at, answer) -> {
          var _ =
              at.replica()
                  .proposer()
                  .propose(field, request, result -> answer.accept(reading.apply(result)));
        },
        then);
  }
}
