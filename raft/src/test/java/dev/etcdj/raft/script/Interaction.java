package dev.etcdj.raft.script;

import static java.util.Objects.requireNonNull;

import dev.etcdj.raft.ConfChange;
import dev.etcdj.raft.ConfChange.Transition;
import dev.etcdj.raft.RaftConfig;
import dev.etcdj.raft.RaftConfig.ReadOnlyOption;
import dev.etcdj.raft.RawNode.Dropped;
import dev.etcdj.raft.RawNode.Outcome;
import dev.etcdj.raft.Status;
import dev.etcdj.raft.TestHooks;
import dev.etcdj.raft.log.Bytes;
import dev.etcdj.raft.log.ConfState;
import dev.etcdj.raft.log.EntryType;
import dev.etcdj.raft.log.MemoryLog;
import dev.etcdj.raft.log.Snapshot;
import dev.etcdj.raft.message.Message;
import dev.etcdj.raft.trace.TraceSink;
import dev.etcdj.raft.tracker.Progress;
import dev.etcdj.raft.tracker.ProgressTracker;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/// Runs the commands of a script against nodes of its own and gives back what they print. The
/// network is a list of messages in flight, which only move when a command says so.
final class Interaction {
  private final List<Member> members = new ArrayList<>();
  private final List<Message> network = new ArrayList<>();
  private StringBuilder out = new StringBuilder();
  private boolean quiet;

  /// @return lines of output
  List<String> run(Script.Step step) {
    out = new StringBuilder();
    handle(step);
    String text = out.toString();
    if (text.isEmpty() || quiet) {
      return List.of("ok");
    }
    return Arrays.asList(text.stripTrailing().split("\n"));
  }

  private void handle(Script.Step step) {
    switch (step.name()) {
      case "add-nodes" -> addNodes(step);
      case "campaign" -> report(first(step).node.campaign());
      case "propose" -> report(first(step).node.propose(TextCodec.bytes(step.words().get(1))));
      case "propose-batch" -> report(first(step).node.propose(batch(step)));
      case "propose-conf-change" -> report(proposeConfChange(step));
      case "read-index" -> first(step).node.readIndex(TextCodec.bytes(step.words().get(1)));
      case "transfer-leadership" -> {
        Map<String, List<String>> options = step.options();
        member(given(options, "from")).node.transferLeader(Long.parseLong(given(options, "to")));
      }
      case "forget-leader" -> first(step).node.forgetLeader();
      case "report-unreachable" ->
          first(step).node.reportUnreachable(Long.parseLong(step.words().get(1)));
      case "report-snapshot" ->
          first(step)
              .node
              .reportSnapshot(
                  Long.parseLong(step.words().get(1)), step.words().get(2).equals("failure"));
      case "send-snapshot" -> sendSnapshot(step);
      case "set-randomized-election-timeout" ->
          TestHooks.randomizedElectionTimeout(
              first(step).node, Integer.parseInt(given(step.options(), "timeout")));
      case "tick-election" -> tick(first(step), first(step).config.electionTicks());
      case "tick-heartbeat" -> tick(first(step), first(step).config.heartbeatTicks());
      case "deliver-msgs" -> deliver(step);
      case "process-ready" -> each(step, "handling Ready", this::processReady);
      case "process-append-thread" -> each(step, "processing append thread", this::processAppend);
      case "process-apply-thread" -> each(step, "processing apply thread", this::processApply);
      case "stabilize" -> {
        boolean before = quiet;
        quiet |= step.options().containsKey("log-level");
        stabilize(step);
        if (quiet) {
          out.setLength(0);
        }
        quiet = before;
      }
      case "compact" -> {
        first(step).log.compact(Long.parseLong(step.words().get(1)));
        raftLog(first(step));
      }
      case "raft-log" -> raftLog(first(step));
      case "raft-state" -> members.forEach(this::raftState);
      case "status" -> status(first(step));
      case "log-level" -> quiet = step.words().getFirst().equals("none");
      default -> throw new IllegalArgumentException("unknown command " + step.name());
    }
  }

  private Member first(Script.Step step) {
    return member(step.words().getFirst());
  }

  private Member member(String id) {
    return members.get(Integer.parseInt(id) - 1);
  }

  private static long id(List<String> option) {
    return Long.parseLong(option.getFirst());
  }

  private static String given(Map<String, List<String>> options, String name) {
    return requireNonNull(options.get(name), name).getFirst();
  }

  private static List<Long> ids(List<String> option) {
    return option.stream().map(Long::valueOf).toList();
  }

  private static List<Bytes> batch(Script.Step step) {
    return step.words().stream().skip(1).map(TextCodec::bytes).toList();
  }

  private void report(Outcome outcome) {
    if (outcome instanceof Dropped dropped) {
      out.append(dropped.reason()).append('\n');
    }
  }

  private void addNodes(Script.Step step) {
    Map<String, List<String>> options = step.options();
    List<Long> voters = ids(options.getOrDefault("voters", List.of()));
    List<Long> learners = ids(options.getOrDefault("learners", List.of()));
    long index = id(options.getOrDefault("index", List.of("0")));
    String content = options.getOrDefault("content", List.of("")).getFirst();
    Snapshot start =
        index == 0
            ? Snapshot.EMPTY
            : new Snapshot(
                index,
                1,
                new ConfState(voters, learners, List.of(), List.of(), false),
                TextCodec.bytes(content));
    RaftConfig template = template(options);
    for (int i = 0; i < Integer.parseInt(step.words().getFirst()); i++) {
      members.add(new Member(members.size() + 1, start, config -> config, template));
    }
  }

  private static RaftConfig template(Map<String, List<String>> options) {
    boolean lease = options.getOrDefault("read-only", List.of("safe")).contains("lease-based");
    return new RaftConfig(
        1,
        3,
        1,
        new MemoryLog(),
        new TextCodec(),
        n -> 0,
        TraceSink.NONE,
        0,
        flag(options, "async-storage-writes"),
        number(options, "max-size-per-msg", Long.MAX_VALUE),
        number(options, "max-committed-size-per-ready", 0),
        number(options, "max-uncommitted-size", 0),
        (int) number(options, "inflight", Integer.MAX_VALUE),
        number(options, "inflight-bytes", 0),
        flag(options, "checkquorum"),
        flag(options, "prevote"),
        lease ? ReadOnlyOption.LEASE_BASED : ReadOnlyOption.SAFE,
        flag(options, "disable-proposal-forwarding"),
        flag(options, "step-down-on-removal"),
        flag(options, "unanswered-commits"));
  }

  private static boolean flag(Map<String, List<String>> options, String name) {
    return options.getOrDefault(name, List.of("false")).contains("true");
  }

  private static long number(Map<String, List<String>> options, String name, long otherwise) {
    List<String> given = options.get(name);
    return given == null ? otherwise : id(given);
  }

  private Outcome proposeConfChange(Script.Step step) {
    boolean v1 = flag(step.options(), "v1");
    Transition transition =
        switch (step.options().getOrDefault("transition", List.of("auto")).getFirst()) {
          case "auto" -> Transition.AUTO;
          case "implicit" -> Transition.JOINT_IMPLICIT;
          case "explicit" -> Transition.JOINT_EXPLICIT;
          default -> throw new IllegalArgumentException(step.command());
        };
    EntryType type = v1 ? EntryType.CONF_CHANGE : EntryType.CONF_CHANGE_V2;
    return first(step)
        .node
        .proposeConfChange(
            new ConfChange(
                type, transition, TextCodec.parse(String.join(" ", step.input())), 0, Bytes.EMPTY));
  }

  private void sendSnapshot(Script.Step step) {
    Member from = first(step);
    long to = Long.parseLong(step.words().get(1));
    Message message =
        new Message.InstallSnapshot(
            from.id, to, from.node.status().hardState().term(), from.newestSnapshot());
    network.add(message);
    out.append(Describe.message("", message));
  }

  private static void tick(Member member, int ticks) {
    for (int i = 0; i < ticks; i++) {
      member.node.tick();
    }
  }

  // The network.

  private void deliver(Script.Step step) {
    String type = step.options().getOrDefault("type", List.of("")).getFirst();
    int moved = 0;
    for (String to : step.words()) {
      moved += deliver(Long.parseLong(to), type, false);
    }
    for (String to : step.options().getOrDefault("drop", List.of())) {
      moved += deliver(Long.parseLong(to), type, true);
    }
    if (moved == 0) {
      out.append("no messages\n");
    }
  }

  private int deliver(long to, String type, boolean drop) {
    List<Message> taken =
        network.stream()
            .filter(m -> m.to() == to && (type.isEmpty() || Describe.type(m).equals(type)))
            .filter(m -> !drop || !(m.from() == to || m instanceof Message.Local))
            .toList();
    network.removeAll(taken);
    for (Message message : taken) {
      out.append(drop ? "dropped: " : "").append(Describe.message("", message)).append('\n');
      if (!drop) {
        report(members.get((int) to - 1).node.step(message));
      }
    }
    return taken.size();
  }

  // What a member does.

  @FunctionalInterface
  private interface Work {
    void on(Member member);
  }

  private void each(Script.Step step, String what, Work work) {
    for (String id : step.words()) {
      if (step.words().size() > 1) {
        titled(member(id), what, work);
      } else {
        work.on(member(id));
      }
    }
  }

  private void titled(Member member, String what, Work work) {
    out.append("> ").append(member.id).append(' ').append(what).append('\n');
    StringBuilder outer = out;
    out = new StringBuilder();
    work.on(member);
    out.toString().lines().forEach(line -> outer.append("  ").append(line).append('\n'));
    out = outer;
  }

  private void processReady(Member member) {
    out.append(Describe.ready(member.processReady(network)));
  }

  private void processAppend(Member member) {
    Message.StorageAppend work = member.appendWork.poll();
    if (work == null) {
      out.append("no append work to perform");
      return;
    }
    Message shown =
        new Message.StorageAppend(
            work.from(),
            work.to(),
            work.term(),
            work.entries(),
            work.hardState(),
            work.snapshot(),
            List.of());
    processed(shown, work.responses());
    member.store(work.hardState(), work.snapshot(), work.entries());
  }

  private void processApply(Member member) {
    Message.StorageApply work = member.applyWork.poll();
    if (work == null) {
      out.append("no apply work to perform");
      return;
    }
    Message shown =
        new Message.StorageApply(work.from(), work.to(), work.term(), work.entries(), List.of());
    processed(shown, work.responses());
    member.apply(work.entries());
  }

  private void processed(Message work, List<Message> responses) {
    out.append("Processing:\n").append(Describe.message("", work)).append("\nResponses:\n");
    responses.forEach(each -> out.append(Describe.message("", each)).append('\n'));
    network.addAll(responses);
  }

  private void stabilize(Script.Step step) {
    List<Member> chosen =
        step.words().isEmpty() ? members : step.words().stream().map(this::member).toList();
    boolean moved = true;
    while (moved) {
      moved = false;
      for (Member each : chosen) {
        if (each.node.hasReady()) {
          titled(each, "handling Ready", this::processReady);
          moved = true;
        }
      }
      for (Member each : chosen) {
        if (network.stream().anyMatch(message -> message.to() == each.id)) {
          titled(each, "receiving messages", member -> deliver(member.id, "", false));
          moved = true;
        }
      }
      for (Member each : chosen) {
        moved |= !each.appendWork.isEmpty();
        drain(each, !each.appendWork.isEmpty(), "processing append thread");
      }
      for (Member each : chosen) {
        moved |= !each.applyWork.isEmpty();
        drain(each, !each.applyWork.isEmpty(), "processing apply thread");
      }
    }
  }

  private void drain(Member member, boolean any, String what) {
    boolean append = what.contains("append");
    if (any) {
      titled(
          member,
          what,
          each -> {
            while (!(append ? each.appendWork.isEmpty() : each.applyWork.isEmpty())) {
              if (append) {
                processAppend(each);
              } else {
                processApply(each);
              }
            }
          });
    }
  }

  // Views.

  private void raftLog(Member member) {
    long first = member.log.firstIndex();
    long last = member.log.lastIndex();
    if (last < first) {
      out.append("log is empty: first index=%d, last index=%d".formatted(first, last));
    } else {
      out.append(
          Describe.entries(requireNonNull(member.log.entries(first, last + 1, Long.MAX_VALUE))));
    }
  }

  private void raftState(Member member) {
    Status status = member.node.status();
    boolean voter =
        status.confState().voters().contains(member.id)
            || status.confState().votersOutgoing().contains(member.id);
    out.append(
        "%d: %s %s Term:%d Lead:%d\n"
            .formatted(
                member.id,
                Describe.role(status.softState().role()),
                voter ? "(Voter)" : "(Non-Voter)",
                status.hardState().term(),
                status.softState().leader()));
  }

  private void status(Member member) {
    ProgressTracker tracker = TestHooks.tracker(member.node);
    if (tracker == null) {
      return;
    }
    for (Progress of : tracker.all()) {
      boolean learner = TestHooks.members(member.node).isLearner(of.id());
      out.append(of.id()).append(": ").append(of.state());
      out.append(" match=").append(of.match()).append(" next=").append(of.next());
      out.append(learner ? " learner" : "").append(of.isPaused() ? " paused" : "");
      out.append(of.pendingSnapshot() > 0 ? " pendingSnap=" + of.pendingSnapshot() : "");
      out.append(of.recentlyActive() ? "" : " inactive");
      int inflight = of.inflights().count();
      out.append(inflight > 0 ? " inflight=" + inflight : "");
      out.append(inflight > 0 && of.inflights().isFull() ? "[full]" : "").append('\n');
    }
  }
}
