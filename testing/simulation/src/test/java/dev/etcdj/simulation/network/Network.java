package dev.etcdj.simulation.network;

import dev.etcdj.raft.message.Message;
import dev.etcdj.server.lease.LeaseForwarder;
import dev.etcdj.server.peer.PeerTransport;
import dev.etcdj.simulation.disk.MemoryShelf;
import dev.etcdj.simulation.world.Member;
import dev.etcdj.simulation.world.World;
import java.util.List;
import java.util.SplittableRandom;

/// What is between the members: delays, loses, reorders, duplicates, and cuts.
public final class Network {
  private static final long MICRO = 1_000L;
  private static final long MILLI = 1_000_000L;

  private final World world;
  private final SplittableRandom random;
  private final int size;
  private final boolean[][] cut;
  private final long[][] healedAt;
  private final long[][][] lastArrival;
  private boolean lossy;

  public Network(World world, int size, SplittableRandom random) {
    this.world = world;
    this.random = random;
    this.size = size;
    this.cut = new boolean[size + 1][size + 1];
    this.healedAt = new long[size + 1][size + 1];
    this.lastArrival = new long[size + 1][size + 1][2];
  }

  // ---- faults -----------------------------------------------------------------------------------

  /// Lets nothing through from one to the other.
  public void cut(int from, int to) {
    cut[from][to] = true;
  }

  /// Separates the members whose bit is set from the others, in one direction or in both.
  public void separate(int members, boolean bothWays) {
    for (int a = 1; a <= size; a++) {
      for (int b = 1; b <= size; b++) {
        boolean outward = (members >> a & 1) == 1 && (members >> b & 1) == 0;
        if (outward) {
          cut(a, b);
          if (bothWays) {
            cut(b, a);
          }
        }
      }
    }
  }

  /// Ends all cuts.
  public void heal() {
    for (int a = 1; a <= size; a++) {
      for (int b = 1; b <= size; b++) {
        if (cut[a][b]) {
          cut[a][b] = false;
          healedAt[a][b] = world.time().now();
        }
      }
    }
  }

  /// Whether messages get lost.
  public void lossy(boolean loses) {
    lossy = loses;
  }

  /// How long something takes from here to there.
  public long delayNanos() {
    long base = 100 * MICRO + random.nextLong(900 * MICRO);
    return random.nextInt(50) == 0 ? base + random.nextLong(80 * MILLI) : base;
  }

  private boolean passes(Member from, Member to) {
    return !cut[from.number()][to.number()]
        && !(lossy && random.nextDouble() < world.scenario().loss());
  }

  // ---- members ----------------------------------------------------------------------------------

  /// What `member` sends with during its present life.
  public PeerTransport transport(Member member) {
    int life = member.life();
    return new PeerTransport() {
      @Override
      public void send(List<Message> messages) {
        for (Message message : messages) {
          Member to = world.member(message.to());
          if (to != null && member.life() == life) {
            world.checks().sent(member, message);
            if (message instanceof Message.InstallSnapshot install) {
              sendSnapshot(member, to, install);
            } else {
              Network.this.send(member, to, message);
            }
          }
        }
      }

      @Override
      public void addPeer(long id, List<String> urls) {}

      @Override
      public void removePeer(long id) {}

      @Override
      public long activeSince(long id) {
        Member other = world.member(id);
        return other == null ? 0 : Network.this.activeSince(member, other);
      }
    };
  }

  private long activeSince(Member member, Member other) {
    int a = member.number();
    int b = other.number();
    if (!other.isUp() || cut[a][b] || cut[b][a]) {
      return 0;
    }
    long healed = Math.max(healedAt[a][b], healedAt[b][a]);
    long since = member.localNanos(Math.max(healed, world.upSince(member, other)));
    return since == 0 ? 1 : since;
  }

  private void send(Member from, Member to, Message message) {
    if (!passes(from, to)) {
      world.trace().note("lost", from.number(), to.number(), kind(message));
      if (random.nextInt(2) == 0) {
        unreachable(from, to);
      }
      return;
    }
    deliver(from, to, message);
    // A forwarded proposal is no request to be repeated: twice delivered it is twice executed.
    boolean repeatable = !(message instanceof Message.Propose);
    if (repeatable && random.nextDouble() < world.scenario().duplication()) {
      deliver(from, to, message);
    }
  }

  private void deliver(Member from, Member to, Message message) {
    long arrival = world.time().now() + delayNanos();
    if (world.scenario().orderedStreams()) {
      long[] last = lastArrival[from.number()][to.number()];
      boolean isAppend =
          message instanceof Message.Append || message instanceof Message.CommitIndex;
      int stream = isAppend ? 1 : 0;
      arrival = Math.max(arrival, last[stream] + 1);
      last[stream] = arrival;
    }
    world
        .time()
        .after(
            arrival - world.time().now(),
            () -> {
              if (to.isUp() && !cut[from.number()][to.number()]) {
                world.trace().note("gets", to.number(), from.number(), kind(message), message);
                boolean _ = to.replica().raft().step(message);
              } else if (random.nextInt(2) == 0) {
                unreachable(from, to);
              }
            });
  }

  private void unreachable(Member from, Member to) {
    tell(from, from.life(), () -> from.replica().raft().reportUnreachable(to.id()));
  }

  /// Has `what` happen after a while, if the member still lives that life then.
  private void tell(Member member, int life, Runnable what) {
    world
        .time()
        .after(
            delayNanos(),
            () -> {
              if (member.isUp() && member.life() == life) {
                what.run();
              }
            });
  }

  /// For the trace: what a message is and says, without its contents.
  private static long kind(Message message) {
    return message.getClass().getSimpleName().hashCode() * 31L + message.term();
  }

  // ---- snapshots --------------------------------------------------------------------------------

  private void sendSnapshot(Member from, Member to, Message.InstallSnapshot message) {
    int life = from.life();
    var _ =
        from.replica()
            .picture()
            .thenAccept(
                picture -> {
                  MemoryShelf.Snapshot contents = MemoryShelf.Snapshot.of(picture.view());
                  Message install =
                      new Message.InstallSnapshot(
                          message.from(), message.to(), message.term(), picture.metadata());
                  long takes = 5 * MILLI + random.nextLong(400 * MILLI);
                  world
                      .time()
                      .after(
                          takes,
                          () -> {
                            boolean arrived =
                                passes(from, to) && from.isUp() && from.life() == life && to.isUp();
                            world
                                .trace()
                                .note("snapshot", to.number(), from.number(), arrived ? 1 : 0);
                            if (arrived) {
                              world.stats().snapshots++;
                              to.disk().shelf().put(picture.metadata().index(), contents);
                              boolean _ = to.replica().raft().step(install);
                            }
                            tell(
                                from,
                                life,
                                () -> from.replica().raft().reportSnapshot(to.id(), !arrived));
                          });
                });
  }

  // ---- lease calls ------------------------------------------------------------------------------

  /// Lease calls from `member` to others.
  public LeaseForwarder leases(Member member) {
    int life = member.life();
    return (peerUrl, path, body, timeoutNanos, answer) -> {
      Member to = world.memberAt(peerUrl);
      long[] answered = {0};
      LeaseForwarder.Answer once =
          (status, reply) -> {
            if (answered[0]++ == 0 && member.isUp() && member.life() == life) {
              answer.done(status, reply);
            }
          };
      world.time().after(timeoutNanos, () -> once.done(0, new byte[0]));
      if (!passes(member, to)) {
        return;
      }
      LeaseForwarder.Answer back =
          (status, reply) -> {
            if (passes(to, member)) {
              world.time().after(delayNanos(), () -> once.done(status, reply));
            }
          };
      world
          .time()
          .after(
              delayNanos(),
              () -> {
                if (!to.isUp()) {
                  once.done(0, new byte[0]);
                } else if (path.equals(LeaseForwarder.KEEP_ALIVE)) {
                  to.replica().renewals().serveKeepAlive(body, back);
                } else {
                  to.replica().renewals().serveInternal(body, back);
                }
              });
    };
  }
}
