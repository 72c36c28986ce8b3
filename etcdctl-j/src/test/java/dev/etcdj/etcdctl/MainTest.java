package dev.etcdj.etcdctl;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Guarantee: bad input is one line on standard error and the documented exit code, before any
/// server is asked. Source: etcdctl 3.7.1.
class MainTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "put | 128 | put command needs 1 argument and input from stdin or 2 arguments",
        "get | 128 | get command needs one argument as key and an optional argument as range_end",
        "get foo --bogus | 1 | unknown flag: --bogus",
        "get foo -x | 1 | unknown shorthand flag: 'x' in -x",
        "put foo -1 | 1 | unknown shorthand flag: '1' in -1",
        "get foo --rev | 1 | flag needs an argument: --rev",
        "get foo -w | 1 | flag needs an argument: 'w' in -w",
        "get foo --prefix=zz | 1 | invalid argument \"zz\" for \"--prefix\" flag:"
            + " strconv.ParseBool: parsing \"zz\": invalid syntax",
        "get foo -w yaml | 4 | unsupported output format",
        "get foo --order=UP | 4 | bad sort order UP",
        "get foo --cert= | 128 | empty string is passed to --cert option",
        "get foo --endpoints= | 2 | etcdclient: no available endpoints",
        "get foo --endpoints=h:port | 2 | bad port in endpoint h:port",
        "compaction abc | 1 | strconv.ParseInt: parsing \"abc\": invalid syntax",
        "lease revoke zz | 128 | bad lease ID arg (strconv.ParseInt: parsing \"zz\": invalid"
            + " syntax), expecting ID in Hex",
        "txn extra | 128 | txn command does not accept argument",
        "txn | 3 | EOF",
        "watch | 128 | bad number of arguments",
      })
  void badInputIsOneLine(String line, int exit, String message) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Console console = new Console(new ByteArrayInputStream(new byte[0]), out, err, Map.of());
    assertEquals(exit, Main.run(List.of(line.strip().split(" ")), console));
    assertEquals("Error: " + message + "\n", err.toString(StandardCharsets.UTF_8));
    assertEquals(0, out.size());
  }
}
