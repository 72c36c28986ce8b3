package dev.etcdj.raft;

import dev.etcdj.raft.RaftConfig.ReadOnlyOption;
import dev.etcdj.raft.log.Bytes;
import dev.etcdj.raft.log.ConfState;
import dev.etcdj.raft.log.Entry;
import dev.etcdj.raft.log.EntryType;
import dev.etcdj.raft.log.HardState;
import dev.etcdj.raft.log.MemoryLog;
import dev.etcdj.raft.message.Message;
import dev.etcdj.raft.script.TextCodec;
import dev.etcdj.raft.trace.TraceSink;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// A few nodes with synchronous storage, and a network that delivers everything at once unless a
/// node is cut off. The shortest way to say what the thesis says about whole clusters.
final class TestNet {
  final List<RawNode> nodes = new ArrayList<>();
  final List<MemoryLog> logs = new ArrayList<>();
  final List<List<Entry>> applied = new ArrayList<>();
  private final Set<Long> cut = new HashSet<>();
  private final ArrayDeque<Message> inFlight = new ArrayDeque<>();

  /// Nodes 1..n with empty logs.
  static TestNet of(int n) {
    long[][] terms = new long[n][0];
    return withLogs(terms);
  }

  /// Nodes whose logs hold one entry for each of the terms given, as in the thesis's figures. All
  /// have reached the newest term.
  static TestNet withLogs(long[]... terms) {
    TestNet net = new TestNet();
    List<Long> ids = new ArrayList<>();
    for (long id = 1; id <= terms.length; id++) {
      ids.add(id);
    }
    long newest = Arrays.stream(terms).flatMapToLong(Arrays::stream).max().orElse(0);
    for (int i = 0; i < terms.length; i++) {
      MemoryLog log = new MemoryLog();
      log.setConfState(ConfState.ofVoters(ids));
      long index = 0;
      for (long term : terms[i]) {
        index++;
        Bytes data = TextCodec.bytes("t" + term + "i" + index);
        log.append(List.of(new Entry(term, index, EntryType.NORMAL, data)));
      }
      log.setHardState(new HardState(newest, 0, 0));
      net.logs.add(log);
      net.applied.add(new ArrayList<>());
      net.nodes.add(new RawNode(config(i + 1L, log, false)));
    }
    return net;
  }

  static RaftConfig config(long id, MemoryLog log, boolean async) {
    return new RaftConfig(
        id,
        10,
        1,
        log,
        new TextCodec(),
        n -> (int) (id - 1) % n,
        TraceSink.NONE,
        0,
        async,
        Long.MAX_VALUE,
        0,
        0,
        256,
        0,
        false,
        false,
        ReadOnlyOption.SAFE,
        false,
        false,
        false);
  }

  RawNode node(int id) {
    return nodes.get(id - 1);
  }

  MemoryLog log(int id) {
    return logs.get(id - 1);
  }

  void cut(long... ids) {
    for (long id : ids) {
      cut.add(id);
    }
  }

  void heal() {
    cut.clear();
  }

  /// Has everybody act on what is due and delivers messages until nothing moves.
  void settle() {
    boolean moved = true;
    while (moved) {
      moved = false;
      for (int i = 0; i < nodes.size(); i++) {
        RawNode node = nodes.get(i);
        while (node.hasReady()) {
          moved = true;
          Ready ready = node.ready();
          MemoryLog log = logs.get(i);
          if (ready.snapshot() != null) {
            log.applySnapshot(ready.snapshot());
          }
          if (ready.hardState() != null) {
            log.setHardState(ready.hardState());
          }
          log.append(ready.entries());
          inFlight.addAll(ready.messages());
          applied.get(i).addAll(ready.committedEntries());
          node.advance();
        }
      }
      while (!inFlight.isEmpty()) {
        moved = true;
        Message message = inFlight.remove();
        if (!cut.contains(message.from()) && !cut.contains(message.to())) {
          node((int) message.to()).step(message);
        }
      }
    }
  }

  Role role(int id) {
    return node(id).status().softState().role();
  }

  long term(int id) {
    return node(id).status().hardState().term();
  }

  long commit(int id) {
    return node(id).status().hardState().commit();
  }

  /// Terms of the entries in the log of node `id`.
  List<Long> terms(int id) {
    MemoryLog log = log(id);
    List<Entry> entries = log.entries(log.firstIndex(), log.lastIndex() + 1, Long.MAX_VALUE);
    return entries == null ? List.of() : entries.stream().map(Entry::term).toList();
  }
}
