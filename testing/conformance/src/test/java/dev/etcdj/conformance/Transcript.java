package dev.etcdj.conformance;

import dev.etcdj.proto.etcdserverpb.WatchResponse;
import java.util.List;
import java.util.Map;

/// All that one server answered to a program.
///
/// @param base store revision when the program began
/// @param outcomes one per step
/// @param streams what came on each watch stream and was not taken by an [Step.Expect]
/// @param violations guarantees that answers of this server broke by themselves
record Transcript(
    long base,
    List<Outcome> outcomes,
    Map<String, List<WatchResponse>> streams,
    List<String> violations) {
  /// Whether a request ran into a time limit, here or at the server.
  boolean timedOut() {
    return outcomes.stream()
        .map(Outcome::code)
        .anyMatch(
            code ->
                switch (code) {
                  case DEADLINE_EXCEEDED, UNAVAILABLE, CANCELLED -> true;
                  default -> false;
                });
  }
}
