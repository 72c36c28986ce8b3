package dev.etcdj.wal;

import dev.etcdj.raft.log.Entry;
import dev.etcdj.raft.log.HardState;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.NullUnmarked;

/// What a log holds, kept the simple way: the list of records, folded anew for every question.
@NullUnmarked
final class LogModel {

  /// One record as the log orders them.
  sealed interface Step {
    record Append(Entry entry) implements Step {}

    record State(HardState state) implements Step {}

    /// @param installed whether it replaces the log, once committed, instead of marking a place in
    // it
    record Mark(WalSnapshot snapshot, boolean installed) implements Step {}
  }

  /// What reading back must give.
  record View(WalSnapshot snapshot, HardState state, List<Entry> entries) {}

  final List<Step> steps = new ArrayList<>();
  int durable;

  void append(Entry entry) {
    steps.add(new Step.Append(entry));
  }

  void state(HardState state) {
    steps.add(new Step.State(state));
  }

  void mark(WalSnapshot snapshot, boolean installed) {
    steps.add(new Step.Mark(snapshot, installed));
  }

  void synced() {
    durable = steps.size();
  }

  View view() {
    return view(steps.size());
  }

  /// How many first records give `found`, between what is durable and all; -1 when none do.
  int lengthOf(View found) {
    for (int count = steps.size(); count >= durable; count--) {
      if (view(count).equals(found)) {
        return count;
      }
    }
    return -1;
  }

  /// The log goes on as it was found: with the first `count` records, a last
  /// snapshot left out that did not come to count.
  void keep(int count) {
    steps.subList(count, steps.size()).clear();
    if (!steps.isEmpty()
        && steps.getLast() instanceof Step.Mark(WalSnapshot snapshot, boolean installed)
        && installed
        && snapshot.index() > view().state().commit()) {
      steps.removeLast();
    }
    durable = steps.size();
  }

  private View view(int count) {
    TreeMap<Long, Entry> entries = new TreeMap<>();
    HardState state = HardState.EMPTY;
    WalSnapshot base = WalSnapshot.NONE;
    List<Step.Mark> waiting = new ArrayList<>();
    for (Step step : steps.subList(0, count)) {
      switch (step) {
        case Step.Append(Entry entry) -> {
          entries.tailMap(entry.index(), true).clear();
          entries.put(entry.index(), entry);
        }
        case Step.State(HardState next) -> state = next;
        case Step.Mark mark -> waiting.add(mark);
      }
      for (Step.Mark mark : List.copyOf(waiting)) {
        if (mark.snapshot().index() <= state.commit()) {
          waiting.remove(mark);
          base = mark.snapshot().index() >= base.index() ? mark.snapshot() : base;
          if (mark.installed()) {
            entries.clear();
          }
        }
      }
    }
    List<Entry> above = List.copyOf(entries.tailMap(base.index(), false).values());
    return new View(base, state, above);
  }
}
