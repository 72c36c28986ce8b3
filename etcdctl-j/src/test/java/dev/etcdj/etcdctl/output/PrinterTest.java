package dev.etcdj.etcdctl.output;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.etcdj.client.cluster.Member;
import dev.etcdj.client.cluster.MemberListResponse;
import dev.etcdj.client.kv.PutResponse;
import dev.etcdj.client.transport.ResponseHeader;
import dev.etcdj.etcdctl.Console;
import dev.etcdj.etcdctl.Failure;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/// Guarantee: forms that the recorded sessions cannot show: several rows, unstarted members, ids
/// above the signed range. Source: etcdctl 3.7.1's table and JSON forms.
class PrinterTest {
  private static final ResponseHeader HEADER = new ResponseHeader(-1, -2, 3, 4);
  private static final MemberListResponse MEMBERS =
      new MemberListResponse(
          HEADER,
          List.of(
              new Member(-1, "n1", List.of("http://p:1"), List.of("http://c:1"), false),
              new Member(2, "", List.of("http://p<&>:2"), List.of(), true)));

  private static String printed(Function<Console, Printer> made, Consumer<Printer> use) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Console console = new Console(new ByteArrayInputStream(new byte[0]), out, out, Map.of());
    use.accept(made.apply(console));
    console.flush();
    return out.toString(StandardCharsets.UTF_8);
  }

  @Test
  void tableOfSeveralRows() {
    assertEquals(
        """
        ┌──────────────────┬───────────┬──────┬───────────────┬──────────────┬────────────┐
        │        ID        │  STATUS   │ NAME │  PEER ADDRS   │ CLIENT ADDRS │ IS LEARNER │
        ├──────────────────┼───────────┼──────┼───────────────┼──────────────┼────────────┤
        │ ffffffffffffffff │   started │   n1 │    http://p:1 │   http://c:1 │      false │
        │                2 │ unstarted │      │ http://p<&>:2 │              │       true │
        └──────────────────┴───────────┴──────┴───────────────┴──────────────┴────────────┘
        """,
        printed(TablePrinter::new, printer -> printer.members(MEMBERS)));
  }

  @Test
  void jsonHasUnsignedIdsAndEscapedTexts() {
    assertEquals(
        "{\"header\":{\"cluster_id\":18446744073709551615,\"member_id\":18446744073709551614,"
            + "\"revision\":3,\"raft_term\":4},\"members\":[{\"ID\":18446744073709551615,"
            + "\"name\":\"n1\",\"peerURLs\":[\"http://p:1\"],\"clientURLs\":[\"http://c:1\"]},"
            + "{\"ID\":2,\"peerURLs\":[\"http://p\\u003c\\u0026\\u003e:2\"],\"isLearner\":true}]}\n",
        printed(console -> new JsonPrinter(console, false), printer -> printer.members(MEMBERS)));
  }

  @Test
  void aFormatWithoutAFormRefuses() {
    Failure failure =
        assertThrows(
            Failure.class,
            () ->
                printed(TablePrinter::new, printer -> printer.put(new PutResponse(HEADER, null))));
    assertEquals(Failure.BAD_FEATURE, failure.exitCode());
    assertEquals("table not supported as output format", failure.text());
  }

  @Test
  void sizesAreDecimal() {
    assertEquals("0 B", Rows.bytes(0));
    assertEquals("9 B", Rows.bytes(9));
    assertEquals("999 B", Rows.bytes(999));
    assertEquals("1.0 kB", Rows.bytes(1000));
    assertEquals("20 kB", Rows.bytes(20480));
    assertEquals("2.1 GB", Rows.bytes(2147483648L));
  }
}
