package dev.etcdj.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/// Guarantee: every rule of the KV, watch and lease families is cited by a hand-picked program or
/// listed in `not-shown.txt` with the reason; none both ways. Expectation: `rules.txt`.
final class RuleCoverageTest {
  private static final int FEWEST_REQUESTS = 400;
  private static final Set<String> NO_REQUESTS =
      Set.of("case", "fresh", "meta", "expect", "settle", "sleep", "success", "failure");

  private static List<String> lines(String file) throws Exception {
    try (InputStream text = RuleCoverageTest.class.getResourceAsStream(file)) {
      return new String(text.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .map(String::strip)
          .filter(line -> !line.isEmpty() && !line.startsWith("#"))
          .toList();
    }
  }

  private static Set<String> all() throws Exception {
    Set<String> all = new TreeSet<>();
    for (String line : lines("rules.txt")) {
      String[] words = line.split(" +");
      for (int i = 1; i < words.length; i++) {
        String[] ends = words[i].split("-");
        for (int n = Integer.parseInt(ends[0]); n <= Integer.parseInt(ends[ends.length - 1]); n++) {
          all.add(words[0] + "-" + n);
        }
      }
    }
    return all;
  }

  private static Set<String> cited() {
    Set<String> cited = new HashSet<>();
    HandPicked.all().forEach(program -> cited.addAll(program.rules()));
    return cited;
  }

  @Test
  void everyRuleIsShownOrSaidNotToBe() throws Exception {
    Set<String> excused = new TreeSet<>();
    for (String line : lines("not-shown.txt")) {
      int colon = line.indexOf(':');
      assertTrue(line.length() > colon + 10, () -> "no reason: " + line);
      excused.addAll(List.of(line.substring(0, colon).split("[ ,]+")));
    }
    Set<String> cited = cited();
    Set<String> missing = new TreeSet<>(all());
    missing.removeAll(cited);
    missing.removeAll(excused);
    assertEquals(Set.of(), missing, "neither cited nor excused");
    Set<String> unneeded = new TreeSet<>(excused);
    unneeded.removeIf(rule -> !cited.contains(rule) && isKnown(rule));
    assertEquals(Set.of(), unneeded, "excused for nothing");
  }

  private static boolean isKnown(String rule) {
    try {
      return all().contains(rule);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void citedRulesExist() throws Exception {
    Set<String> wrong = new TreeSet<>(cited());
    wrong.removeIf(rule -> !rule.matches("(KV|WATCH|LEASE)-.*"));
    wrong.removeAll(all());
    assertEquals(Set.of(), wrong);
  }

  /// Counts lines, so a repeated one counts once.
  @Test
  void thereAreEnough() throws Exception {
    long requests = 0;
    for (String file : HandPicked.FILES) {
      requests +=
          lines(file + ".txt").stream()
              .map(line -> line.split(" ")[0])
              .filter(word -> word.matches("[a-z_]+") && !NO_REQUESTS.contains(word))
              .count();
    }
    System.out.println("conformance: " + requests + " hand-picked requests");
    assertTrue(requests >= FEWEST_REQUESTS, "only " + requests);
  }
}
