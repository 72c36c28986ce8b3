package dev.etcdj.simulation.mutant;

import java.util.List;

/// A fault that could be in the product: small edits of its sources.
///
/// @param kind what goes wrong
public record Mutant(String kind, List<Edit> edits) {
  /// @param file under a module's `src/main/java`, from the root of the checkout
  /// @param original occurs exactly once in it
  public record Edit(String file, String original, String replacement) {
    /// Binary name of the class the file declares.
    String className() {
      String path = file.substring(file.indexOf("dev/"));
      return path.substring(0, path.length() - ".java".length()).replace('/', '.');
    }
  }

  static Mutant of(String kind, String... fileOriginalReplacement) {
    List<Edit> edits = new java.util.ArrayList<>();
    for (int i = 0; i < fileOriginalReplacement.length; i += 3) {
      edits.add(
          new Edit(
              fileOriginalReplacement[i],
              fileOriginalReplacement[i + 1],
              fileOriginalReplacement[i + 2]));
    }
    return new Mutant(kind, List.copyOf(edits));
  }

  @Override
  public String toString() {
    return kind;
  }
}
