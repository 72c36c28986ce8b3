package dev.etcdj.conformance;

import java.util.List;

/// One thing that the servers answered differently.
///
/// @param step index of the step, -1 for what came on a stream outside of steps
/// @param rules that speak of it: those the program cites, else those of the field
/// @param where the step and the field
record Difference(int step, List<String> rules, String where, String etcd, String own) {
  @Override
  public String toString() {
    return "%s: %s\n    etcd   %s\n    etcd-j %s"
        .formatted(String.join(", ", rules), where, etcd, own);
  }
}
