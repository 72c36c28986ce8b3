package dev.etcdj.raft.cluster;

import dev.etcdj.raft.ConfChange;
import dev.etcdj.raft.ConfChange.Kind;
import dev.etcdj.raft.ConfChange.Single;
import dev.etcdj.raft.ConfChange.Transition;
import dev.etcdj.raft.RaftConfig;
import dev.etcdj.raft.RaftConfig.ReadOnlyOption;
import dev.etcdj.raft.log.Bytes;
import dev.etcdj.raft.log.ConfState;
import dev.etcdj.raft.log.EntryType;
import dev.etcdj.raft.log.MemoryLog;
import dev.etcdj.raft.message.Message;
import dev.etcdj.raft.script.TextCodec;
import dev.etcdj.raft.trace.TraceSink;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;

/// A cluster on one thread, with a network that loses, doubles and reorders, and nodes that crash.
/// Everything follows from the seed.
final class SimCluster {
  private static final int MAX_IN_FLIGHT = 200;

  final Truth truth = new Truth();
  private final Random random;
  private final List<SimNode> nodes = new ArrayList<>();
  private final List<Message> inFlight = new ArrayList<>();
  private final boolean changesMembers;
  private boolean calm;
  private long isolated;
  private int proposals;

  SimCluster(long seed) {
    random = new Random(seed);
    int voters = 3 + random.nextInt(3);
    changesMembers = random.nextInt(3) == 0;
    List<Long> ids = LongStream.rangeClosed(1, voters).boxed().toList();
    RaftConfig template = template();
    int count = changesMembers ? 6 : voters;
    for (long id = 1; id <= count; id++) {
      // Those who are to join know the founders, too: no entry in the log names them.
      ConfState start = ConfState.ofVoters(ids);
      nodes.add(new SimNode(id, start, template, truth, random, this::send));
    }
  }

  private RaftConfig template() {
    boolean checkQuorum = random.nextBoolean();
    long messageBytes = 1 + random.nextInt(200);
    return new RaftConfig(
        1,
        10,
        1,
        new MemoryLog(),
        new TextCodec(),
        random::nextInt,
        TraceSink.NONE,
        0,
        random.nextInt(4) > 0,
        messageBytes,
        random.nextInt(100),
        random.nextBoolean() ? 0 : 200,
        1 + random.nextInt(6),
        random.nextBoolean() ? 0 : messageBytes + random.nextInt(100),
        checkQuorum,
        random.nextBoolean(),
        ReadOnlyOption.SAFE,
        false,
        random.nextBoolean(),
        random.nextBoolean());
  }

  /// A full network drops the oldest message.
  private void send(Message message) {
    if (inFlight.size() >= MAX_IN_FLIGHT) {
      report(inFlight.removeFirst(), true);
    }
    inFlight.add(message);
  }

  /// Something happens to somebody.
  void step() {
    SimNode node = nodes.get(random.nextInt(nodes.size()));
    int dice = random.nextInt(100);
    int times = 1 + random.nextInt(4);
    if (dice < 20) {
      tick(node);
    } else if (dice < 55) {
      for (int i = 0; i < times; i++) {
        deliver();
      }
    } else if (dice < 80) {
      for (int i = 0; i < 2 * times; i++) {
        node.storageStep();
      }
    } else if (dice < 95) {
      request(node);
    } else {
      trouble(node);
    }
    // Several things may happen between two Readys.
    if (random.nextInt(3) > 0) {
      node.work();
    }
  }

  private static void tick(SimNode node) {
    if (node.isUp()) {
      node.raft().tick();
    }
  }

  private void deliver() {
    if (inFlight.isEmpty()) {
      return;
    }
    int at = random.nextInt(3) == 0 ? random.nextInt(inFlight.size()) : 0;
    Message message = inFlight.get(at);
    boolean twice = !calm && random.nextInt(20) == 0;
    if (!twice) {
      inFlight.remove(at);
    }
    boolean cut = message.from() == isolated || message.to() == isolated;
    boolean lost = !calm && (cut || random.nextInt(12) == 0);
    SimNode to = nodes.get((int) message.to() - 1);
    report(message, lost || !to.isUp());
    if (!lost) {
      to.receive(message);
      to.work();
    }
  }

  /// The sender of a snapshot must be told how it ended (RAFT-17).
  private void report(Message message, boolean lost) {
    if (message instanceof Message.InstallSnapshot install) {
      SimNode from = nodes.get((int) install.from() - 1);
      if (from.isUp()) {
        from.raft().reportSnapshot(install.to(), lost);
      }
    }
  }

  private void request(SimNode node) {
    if (!node.isUp() || inFlight.size() > MAX_IN_FLIGHT / 4) {
      return;
    }
    int kind = random.nextInt(20);
    if (kind < 12) {
      node.raft().propose(TextCodec.bytes("p" + proposals++));
    } else if (kind < 14) {
      node.raft().propose(List.of(TextCodec.bytes("q" + proposals++), TextCodec.bytes("r")));
    } else if (kind < 18) {
      node.read();
    } else if (kind == 18 && !calm) {
      node.raft().transferLeader(1 + random.nextInt(nodes.size()));
    } else if (kind == 19 && changesMembers && !calm) {
      node.raft().proposeConfChange(randomChange(node));
    }
  }

  private ConfChange randomChange(SimNode node) {
    Kind[] kinds = {Kind.ADD_NODE, Kind.ADD_LEARNER_NODE, Kind.REMOVE_NODE};
    if (node.conf().voters().size() < 3) {
      kinds = new Kind[] {Kind.ADD_NODE};
    }
    Single one = new Single(kinds[random.nextInt(kinds.length)], randomId());
    if (random.nextBoolean()) {
      return ConfChange.single(one.kind(), one.nodeId(), 0, Bytes.EMPTY);
    }
    List<Single> both = List.of(one, new Single(Kind.ADD_NODE, randomId()));
    return new ConfChange(EntryType.CONF_CHANGE_V2, Transition.AUTO, both, 0, Bytes.EMPTY);
  }

  private long randomId() {
    return 1 + random.nextInt(nodes.size());
  }

  private void trouble(SimNode node) {
    if (!node.isUp()) {
      node.start();
      return;
    }
    switch (random.nextInt(8)) {
      case 0, 1 -> {
        if (!calm) {
          node.crash();
        }
      }
      case 2 -> isolated = calm ? 0 : randomId();
      case 3 -> isolated = 0;
      case 4 -> node.compact();
      default -> node.flushApplication();
    }
  }

  /// Ends all trouble and waits until something new is applied by every voter. A leader that was
  /// removed is stopped, as its server would stop it.
  ///
  /// @return whether that came about
  boolean recovers(int steps) {
    calm = true;
    isolated = 0;
    for (SimNode node : nodes) {
      if (!node.isUp()) {
        node.start();
      }
    }
    long before = truth.highestApplied();
    for (int i = 0; i < steps; i++) {
      step();
      if (i % 64 != 0) {
        continue;
      }
      nodes.stream().filter(SimNode::leadsWithoutBeingMember).forEach(SimNode::crash);
      long goal = before + 5;
      SimNode leader = nodes.stream().filter(SimNode::isLeader).findFirst().orElse(null);
      if (leader != null && leader.applied() > goal) {
        boolean all =
            leader.conf().voters().stream()
                .allMatch(voter -> nodes.get((int) (voter - 1)).applied() > goal);
        if (all) {
          return true;
        }
      }
    }
    return false;
  }

  int readsAnswered() {
    return nodes.stream().mapToInt(node -> node.readsAnswered).sum();
  }

  /// How everybody stands, for a failure's message.
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (SimNode node : nodes) {
      text.append(node.isUp() ? node.raft().status().toString() : node.id + " down").append('\n');
    }
    return text.append(inFlight.size()).append(" messages in flight").toString();
  }
}
