package dev.etcdj.simulation.mutant;

import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/// Guarantee: the simulation notices each kind of fault it is there for.
///
/// Method: each mutant's sources are compiled in process and loaded in place of the product's; then
/// seeds are run until one fails. `-Dmutants=all` runs it, `-Dmutants=vote` only those with that in
/// their name. Writes the table to `target/mutants.md`.
@EnabledIfSystemProperty(named = "mutants", matches = ".*")
class MutantTest {
  private static final long SEEDS = 2_000;
  private static final Path TABLE = Path.of("target", "mutants.md");
  private static final StringBuilder ROWS = new StringBuilder();

  private static final String WANTED = System.getProperty("mutants", "all");

  static final java.util.List<Mutant> ALL =
      Mutants.ALL.stream()
          .filter(mutant -> WANTED.equals("all") || mutant.kind().contains(WANTED))
          .toList();

  @BeforeAll
  static void head() {
    ROWS.append("| fault planted | in | caught by seed | check that spoke |\n|---|---|---|---|\n");
  }

  @ParameterizedTest
  @FieldSource("ALL")
  void isNoticed(Mutant mutant) throws Exception {
    Class<?> seeds = MutantLoader.of(mutant).loadClass("dev.etcdj.simulation.Seeds");
    String[] failure =
        (String[]) seeds.getMethod("firstFailure", long.class, long.class).invoke(null, 1L, SEEDS);
    assertNotNull(failure, () -> "no seed up to " + SEEDS + " notices: " + mutant);
    String file = mutant.edits().getFirst().file();
    String row =
        "| %s | `%s` | %s | %s |%n"
            .formatted(
                mutant.kind(), file.substring(file.lastIndexOf('/') + 1), failure[0], failure[1]);
    System.out.print(row);
    ROWS.append(row);
  }

  @AfterAll
  static void writeTable() throws IOException {
    if (Files.isDirectory(TABLE.getParent())) {
      Files.writeString(
          TABLE, ROWS, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING);
    }
  }
}
