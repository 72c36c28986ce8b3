package dev.etcdj.simulation.check;

import java.util.Arrays;

/// One request as its client saw it, over keys and values that are small numbers: value 0 stands
/// for no value, every other value is written by one request only.
///
/// @param keys what is written or read
/// @param values written, by key
/// @param condition key whose value a transaction compares, -1 for none
/// @param expected with this
/// @param calledAt when the client asked
public record Operation(
    int client, Kind kind, int[] keys, int[] values, int condition, int expected, long calledAt) {
  /// What is asked.
  public enum Kind {
    /// Reads `keys`.
    GET,
    /// Writes the one key; the outcome may name the value before.
    PUT,
    /// Removes the one key; the outcome names the value before.
    DELETE,
    /// Writes `keys` if the condition holds, else reads the condition's key.
    TXN
  }

  /// How it ended.
  ///
  /// @param answeredAt when the client knew, [Long#MAX_VALUE] if it never did: then the request may
  ///     take effect at any time or not at all, and the rest says nothing
  /// @param seen values read, by key; -1 for one that was not asked for
  /// @param succeeded whether a transaction's condition held
  public record Outcome(long answeredAt, int[] seen, boolean succeeded) {
    /// Nobody knows.
    public static final Outcome UNKNOWN = new Outcome(Long.MAX_VALUE, new int[0], false);

    boolean isKnown() {
      return answeredAt != Long.MAX_VALUE;
    }
  }

  /// A request with its outcome.
  public record Ended(Operation operation, Outcome outcome) {
    @Override
    public String toString() {
      return "client "
          + operation.client
          + " "
          + operation.kind
          + Arrays.toString(operation.keys)
          + (operation.values.length > 0 ? "=" + Arrays.toString(operation.values) : "")
          + (operation.condition < 0 ? "" : " if " + operation.condition + "=" + operation.expected)
          + " from "
          + operation.calledAt
          + (outcome.isKnown()
              ? " to "
                  + outcome.answeredAt
                  + " saw "
                  + Arrays.toString(outcome.seen)
                  + (operation.kind == Kind.TXN ? " " + outcome.succeeded : "")
              : " for ever");
    }
  }
}
