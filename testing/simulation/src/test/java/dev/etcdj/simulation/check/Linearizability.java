package dev.etcdj.simulation.check;

import dev.etcdj.simulation.check.Operation.Ended;
import dev.etcdj.simulation.check.Operation.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Whether there is an order of all requests, each between its call and its answer, in which every
/// answer is right (Wing & Gong's search with Lowe's memory of what was tried, as in Porcupine).
///
/// Keys that no request ties together are searched apart. A write whose outcome is unknown and
/// whose value nobody saw is left out: it can always have been last.
public final class Linearizability {
  private static final int MOST_STEPS = 2_000_000;

  /// What came of a search.
  public sealed interface Verdict {}

  /// There is such an order.
  public record Linearizable() implements Verdict {}

  /// There is none.
  ///
  /// @param history the requests that cannot be put in order
  public record Violated(List<Ended> history) implements Verdict {
    @Override
    public String toString() {
      StringBuilder text = new StringBuilder("no order explains\n");
      history.forEach(each -> text.append("  ").append(each).append('\n'));
      return text.toString();
    }
  }

  /// The search was given up.
  public record Undecided(int operations) implements Verdict {}

  private Linearizability() {}

  /// Judges a history over keys from 0 to below `keys`.
  public static Verdict check(List<Ended> history, int keys) {
    Verdict worst = new Linearizable();
    for (List<Ended> part : partition(relevant(history), keys)) {
      Verdict verdict = new Search(part, keys).run();
      if (verdict instanceof Violated) {
        return verdict;
      }
      worst = verdict instanceof Undecided ? verdict : worst;
    }
    return worst;
  }

  private static List<Ended> relevant(List<Ended> history) {
    Set<Integer> seen = new HashSet<>();
    for (Ended each : history) {
      for (int value : each.outcome().seen()) {
        seen.add(value);
      }
      if (each.operation().condition() >= 0) {
        // That it held is seen, too.
        seen.add(each.operation().expected());
      }
    }
    List<Ended> relevant = new ArrayList<>();
    for (Ended each : history) {
      boolean known = each.outcome().isKnown();
      Kind kind = each.operation().kind();
      boolean matters =
          known
              || kind == Kind.DELETE
              || kind != Kind.GET
                  && Arrays.stream(each.operation().values()).anyMatch(seen::contains);
      if (matters) {
        relevant.add(each);
      }
    }
    return relevant;
  }

  private static Iterable<List<Ended>> partition(List<Ended> history, int keys) {
    int[] group = new int[keys];
    for (int i = 0; i < keys; i++) {
      group[i] = i;
    }
    for (Ended each : history) {
      Operation operation = each.operation();
      int first = operation.keys()[0];
      for (int key : operation.keys()) {
        join(group, first, key);
      }
      if (operation.condition() >= 0) {
        join(group, first, operation.condition());
      }
    }
    Map<Integer, List<Ended>> parts = new HashMap<>();
    for (Ended each : history) {
      parts
          .computeIfAbsent(find(group, each.operation().keys()[0]), _ -> new ArrayList<>())
          .add(each);
    }
    return parts.values();
  }

  private static int find(int[] group, int key) {
    int at = key;
    while (group[at] != at) {
      at = group[at];
    }
    return at;
  }

  private static void join(int[] group, int a, int b) {
    group[find(group, b)] = find(group, a);
  }

  /// The store after `ended`, or null if its answer does not fit `state`.
  static int[] after(int[] state, Ended ended) {
    Operation operation = ended.operation();
    Operation.Outcome outcome = ended.outcome();
    int[] keys = operation.keys();
    boolean known = outcome.isKnown();
    switch (operation.kind()) {
      case GET -> {
        return !known || saw(state, keys, outcome.seen()) ? state : null;
      }
      case PUT, DELETE -> {
        return !known || saw(state, keys, outcome.seen())
            ? written(state, keys, operation.values())
            : null;
      }
      case TXN -> {
        boolean holds = state[operation.condition()] == operation.expected();
        if (known && holds != outcome.succeeded()) {
          return null;
        }
        if (holds) {
          return written(state, keys, operation.values());
        }
        boolean right = !known || state[operation.condition()] == outcome.seen()[0];
        return right ? state : null;
      }
    }
    throw new IllegalStateException();
  }

  private static boolean saw(int[] state, int[] keys, int[] seen) {
    for (int i = 0; i < seen.length; i++) {
      if (seen[i] >= 0 && state[keys[i]] != seen[i]) {
        return false;
      }
    }
    return true;
  }

  private static int[] written(int[] state, int[] keys, int[] values) {
    int[] next = state.clone();
    for (int i = 0; i < keys.length; i++) {
      next[keys[i]] = values.length == 0 ? 0 : values[i];
    }
    return next;
  }

  /// A call or an answer, in order of time.
  private static final class Edge {
    final int number;
    final long at;

    /// The answer that belongs to a call; null in an answer.
    Edge answer;

    Edge before;
    Edge next;

    Edge(int number, long at) {
      this.number = number;
      this.at = at;
    }
  }

  private record Tried(BitSet ordered, List<Integer> state) {}

  private record Step(Edge call, int[] stateBefore) {}

  private static final class Search {
    private final List<Ended> history;
    private final int keys;
    private final Edge head = new Edge(-1, -1);

    Search(List<Ended> history, int keys) {
      this.history = history;
      this.keys = keys;
      link();
    }

    private void link() {
      List<Edge> edges = new ArrayList<>();
      for (int i = 0; i < history.size(); i++) {
        Edge call = new Edge(i, history.get(i).operation().calledAt());
        Edge answer = new Edge(i, history.get(i).outcome().answeredAt());
        call.answer = answer;
        edges.add(call);
        edges.add(answer);
      }
      // At the same time calls come first: they may overlap.
      edges.sort(
          (a, b) ->
              a.at != b.at
                  ? Long.compare(a.at, b.at)
                  : Boolean.compare(a.answer == null, b.answer == null));
      Edge last = head;
      for (Edge edge : edges) {
        last.next = edge;
        edge.before = last;
        last = edge;
      }
    }

    Verdict run() {
      int[] state = new int[keys];
      BitSet ordered = new BitSet(history.size());
      Set<Tried> tried = new HashSet<>();
      List<Step> steps = new ArrayList<>();
      Edge at = head.next;
      for (long count = 0; head.next != null; count++) {
        if (count > MOST_STEPS) {
          return new Undecided(history.size());
        }
        if (at.answer != null) {
          int[] next = after(state, history.get(at.number));
          if (next != null) {
            ordered.set(at.number);
            if (tried.add(
                new Tried((BitSet) ordered.clone(), Arrays.stream(next).boxed().toList()))) {
              steps.add(new Step(at, state));
              state = next;
              lift(at);
              at = head.next;
              continue;
            }
            ordered.clear(at.number);
          }
          at = at.next;
        } else {
          // The answer of a request that could not be put before it: go back.
          if (steps.isEmpty()) {
            return new Violated(history);
          }
          Step undone = steps.removeLast();
          state = undone.stateBefore();
          ordered.clear(undone.call().number);
          unlift(undone.call());
          at = undone.call().next;
        }
      }
      return new Linearizable();
    }

    private static void lift(Edge call) {
      cutOut(call);
      cutOut(call.answer);
    }

    private static void cutOut(Edge edge) {
      edge.before.next = edge.next;
      if (edge.next != null) {
        edge.next.before = edge.before;
      }
    }

    private static void unlift(Edge call) {
      putBack(call.answer);
      putBack(call);
    }

    private static void putBack(Edge edge) {
      edge.before.next = edge;
      if (edge.next != null) {
        edge.next.before = edge;
      }
    }
  }
}
