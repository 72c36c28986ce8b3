package dev.etcdj.simulation.world;

/// What happened, as a running hash over everything and as the text of the last steps.
public final class Trace {
  private static final int KEPT = 1 << 9;
  private static final int LONGS = 4;

  private final Timeline time;
  private final String[] what = new String[KEPT];
  private final long[] numbers = new long[KEPT * LONGS];
  private final Object[] details = new Object[KEPT];
  private long count;
  private long hash = 0x9e3779b97f4a7c15L;

  Trace(Timeline time) {
    this.time = time;
  }

  /// Notes a step. `detail` is for the reader alone and does not count.
  public void note(String step, long member, long a, long b, Object detail) {
    int at = (int) (count++ & (KEPT - 1));
    what[at] = step;
    numbers[at * LONGS] = time.now();
    numbers[at * LONGS + 1] = member;
    numbers[at * LONGS + 2] = a;
    numbers[at * LONGS + 3] = b;
    details[at] = detail;
    mix(step.hashCode());
    mix(time.now());
    mix(member);
    mix(a);
    mix(b);
  }

  /// The same without detail.
  public void note(String step, long member, long a, long b) {
    note(step, member, a, b, "");
  }

  private void mix(long value) {
    long mixed = (hash ^ value) * 0xff51afd7ed558ccdL;
    hash = mixed ^ (mixed >>> 29);
  }

  /// Over all steps so far; equal for equal runs.
  public long hash() {
    return hash;
  }

  /// Steps so far.
  public long count() {
    return count;
  }

  /// The last steps, one a line: seconds, member, step, two numbers that depend on the step.
  public String tail(int lines) {
    StringBuilder text = new StringBuilder();
    for (long i = Math.max(0, count - Math.min(lines, KEPT)); i < count; i++) {
      int at = (int) (i & (KEPT - 1));
      text.append(
          "%11.6f m%d %-12s %d %d %s%n"
              .formatted(
                  numbers[at * LONGS] / 1e9,
                  numbers[at * LONGS + 1],
                  what[at],
                  numbers[at * LONGS + 2],
                  numbers[at * LONGS + 3],
                  details[at]));
    }
    return text.toString();
  }
}
