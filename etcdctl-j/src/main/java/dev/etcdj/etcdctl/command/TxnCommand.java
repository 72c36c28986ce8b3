package dev.etcdj.etcdctl.command;

import dev.etcdj.client.kv.Compare;
import dev.etcdj.client.kv.Op;
import dev.etcdj.client.kv.TxnRequest;
import dev.etcdj.etcdctl.Arguments;
import dev.etcdj.etcdctl.Failure;
import dev.etcdj.etcdctl.Flag;
import dev.etcdj.etcdctl.LineReader;
import dev.etcdj.etcdctl.Session;
import java.util.ArrayList;
import java.util.List;

/// `txn`: reads a transaction from standard input: conditions, what to do when they hold, what to
/// do when they do not; each block ends with an empty line.
public final class TxnCommand implements Command {
  @Override
  public String name() {
    return "txn";
  }

  @Override
  public String synopsis() {
    return "[options]";
  }

  @Override
  public String description() {
    return """
        Txn processes all the requests in one transaction

        It reads three blocks from standard input, each ended by an empty line: conditions, the
        requests to do when all of them hold, the requests to do when one does not.

          mod("key1") > "0"

          put key1 "overwrote-key1"

          put key1 "created-key1"
          put key2 "some extra key"
        """;
  }

  @Override
  public List<Flag> flags() {
    return List.of(
        Flag.bool("interactive", "Input transaction in interactive mode").withLetter('i'));
  }

  @Override
  public int run(Arguments arguments, Session session) {
    if (arguments.size() != 0) {
      throw new Failure(Failure.BAD_ARGS, "txn command does not accept argument");
    }
    boolean interactive = arguments.is("interactive");
    LineReader lines = new LineReader(session.console().in());
    prompt("compares:", interactive, session);
    List<Compare> compares = new ArrayList<>();
    for (String line : block(lines)) {
      compares.add(TxnText.compare(line));
    }
    prompt("success requests (get, put, del):", interactive, session);
    List<Op> success = ops(lines, session);
    prompt("failure requests (get, put, del):", interactive, session);
    List<Op> failure = ops(lines, session);
    TxnRequest request = new TxnRequest(compares, success, failure);
    session.printer().txn(session.await(session.client().kv().txn(request)));
    return 0;
  }

  private static List<Op> ops(LineReader lines, Session session) {
    List<Op> ops = new ArrayList<>();
    for (String line : block(lines)) {
      ops.add(TxnText.op(line, session.console()));
    }
    return ops;
  }

  private static Iterable<String> block(LineReader lines) {
    List<String> block = new ArrayList<>();
    while (true) {
      String line = lines.next();
      if (line == null) {
        throw new Failure(Failure.INVALID_INPUT, "EOF");
      }
      String stripped = line.strip();
      if (stripped.isEmpty()) {
        return block;
      }
      block.add(stripped);
    }
  }

  private static void prompt(String text, boolean interactive, Session session) {
    if (interactive) {
      session.console().line(text);
      session.console().flush();
    }
  }
}
