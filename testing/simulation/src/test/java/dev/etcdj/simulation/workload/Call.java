package dev.etcdj.simulation.workload;

import dev.etcdj.simulation.world.Member;
import dev.etcdj.simulation.world.World;
import java.util.function.Consumer;

/// One request on its way to a member and its answer on the way back. Either may be lost, with the
/// member's life or to the client's patience; then the client is told null, once.
final class Call<T> {
  private final World world;
  private final Consumer<T> client;
  private boolean over;

  /// What a member does with a request that has arrived.
  interface Server<T> {
    void serve(Member member, Consumer<T> answer);
  }

  private Call(World world, Consumer<T> client) {
    this.world = world;
    this.client = client;
  }

  /// @param refusal what the client is told for certain when there was nobody to ask
  static <T> void make(
      World world,
      Member member,
      long patienceNanos,
      T refusal,
      Server<T> server,
      Consumer<T> client) {
    Call<T> call = new Call<>(world, client);
    world.time().after(patienceNanos, () -> call.end(null));
    world
        .time()
        .after(
            world.network().delayNanos(),
            () -> {
              if (!member.isServing()) {
                call.end(refusal);
                return;
              }
              int life = member.life();
              server.serve(
                  member,
                  answer ->
                      world
                          .time()
                          .after(
                              world.network().delayNanos(),
                              () ->
                                  call.end(
                                      member.life() == life && member.isUp() ? answer : null)));
            });
  }

  private void end(T answer) {
    if (!over) {
      over = true;
      client.accept(answer);
    }
  }
}
