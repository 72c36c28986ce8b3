package dev.etcdj.mvcc.index;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The superseded changes of one key, oldest first: rows of main, sub, create, version, where
/// version 0 marks a tombstone, which ends a generation.
///
/// Immutable to its readers. [#append] may write behind the rows they see into the same array:
/// histories grow in one line only, because a write that was begun is never taken back, so no row
/// is written twice.
final class History {
  private static final int COLUMNS = 4;

  private final long[] rows;
  private final int count;

  private History(long[] rows, int count) {
    this.rows = rows;
    this.count = count;
  }

  /// `history` (null: none) with one more change.
  static History append(@Nullable History history, long main, int sub, long create, long version) {
    int count = history == null ? 0 : history.count;
    long[] rows = history == null ? new long[COLUMNS] : history.rows;
    int at = count * COLUMNS;
    if (at == rows.length) {
      rows = Arrays.copyOf(rows, Math.max(2, count + count / 2) * COLUMNS);
    }
    rows[at] = main;
    rows[at + 1] = sub;
    rows[at + 2] = create;
    rows[at + 3] = version;
    return new History(rows, count + 1);
  }

  /// Row of the newest change with main ≤ `revision`, -1 for none.
  int find(long revision) {
    int low = 0;
    int high = count;
    while (low < high) {
      int mid = (low + high) >>> 1;
      if (main(mid) <= revision) {
        low = mid + 1;
      } else {
        high = mid;
      }
    }
    return low - 1;
  }

  int count() {
    return count;
  }

  long main(int row) {
    return rows[row * COLUMNS];
  }

  int sub(int row) {
    return (int) rows[row * COLUMNS + 1];
  }

  long create(int row) {
    return rows[row * COLUMNS + 2];
  }

  long version(int row) {
    return rows[row * COLUMNS + 3];
  }

  /// Rows that no read at `revision` or later needs, from the oldest. `supersededAt` is the main
  /// revision of the change that follows the last row.
  int prunable(long revision, long supersededAt) {
    int newest = find(revision);
    if (newest < 0) {
      return 0;
    }
    boolean covered = newest == count - 1 && supersededAt <= revision;
    return covered || version(newest) == 0 ? newest + 1 : newest;
  }

  /// Without the `rows` oldest; null when none is left.
  @Nullable History without(int oldest) {
    if (oldest == 0) {
      return this;
    }
    return oldest == count
        ? null
        : new History(Arrays.copyOfRange(rows, oldest * COLUMNS, count * COLUMNS), count - oldest);
  }
}
