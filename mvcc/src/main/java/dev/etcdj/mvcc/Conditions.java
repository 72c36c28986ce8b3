package dev.etcdj.mvcc;

import dev.etcdj.mvcc.index.Hit;
import dev.etcdj.mvcc.index.IndexView;
import dev.etcdj.mvcc.index.KeyRange;
import dev.etcdj.mvcc.txn.Compare;
import java.util.List;

/// Evaluates a transaction's compares against a state (KV-82..87).
final class Conditions {
  private Conditions() {}

  /// Whether all hold; the empty list does.
  static boolean hold(Reading state, List<Compare> compares) {
    for (Compare compare : compares) {
      if (!holds(state, compare)) {
        return false;
      }
    }
    return true;
  }

  private static boolean holds(Reading state, Compare compare) {
    RangeCheck check = new RangeCheck(state, compare);
    KeyRange range = KeyRange.of(compare.key(), compare.rangeEnd());
    state.index().scan(range, IndexView.NEWEST, check);
    return check.found ? check.holds : holdsWithoutKey(compare);
  }

  /// Goes through the keys of a range until one does not satisfy the compare (KV-85).
  private static final class RangeCheck implements IndexView.Visitor {
    private final Reading state;
    private final Compare compare;
    private boolean found;
    private boolean holds;

    RangeCheck(Reading state, Compare compare) {
      this.state = state;
      this.compare = compare;
    }

    @Override
    public boolean visit(Hit hit) {
      found = true;
      holds = satisfies(compare, order(hit));
      return holds;
    }

    /// Sign of stored − given.
    private int order(Hit hit) {
      return switch (compare.target()) {
        case VERSION -> Long.compare(hit.version(), compare.number());
        case CREATE -> Long.compare(hit.create(), compare.number());
        case MOD -> Long.compare(hit.modMain(), compare.number());
        case LEASE -> Long.compare(stored(hit).lease(), compare.number());
        case VALUE -> stored(hit).compareValue(compare.value().toByteArray());
        case UNKNOWN -> 0;
      };
    }

    private WireKeyValue stored(Hit hit) {
      return WireKeyValue.parse(state.value(hit.modMain(), hit.modSub()));
    }
  }

  /// KV-84: a missing key has no value to compare, and zero for everything else.
  private static boolean holdsWithoutKey(Compare compare) {
    return switch (compare.target()) {
      case VALUE -> false;
      case VERSION, CREATE, MOD, LEASE -> satisfies(compare, Long.compare(0, compare.number()));
      case UNKNOWN -> satisfies(compare, 0);
    };
  }

  private static boolean satisfies(Compare compare, int order) {
    return switch (compare.operator()) {
      case EQUAL -> order == 0;
      case NOT_EQUAL -> order != 0;
      case GREATER -> order > 0;
      case LESS -> order < 0;
      case UNKNOWN -> true;
    };
  }
}
