package dev.etcdj.etcdctl.command;

import dev.etcdj.client.kv.GetRequest;
import dev.etcdj.client.kv.GetRequest.Content;
import dev.etcdj.client.kv.GetRequest.RevisionBounds;
import dev.etcdj.client.kv.GetRequest.Sort;
import dev.etcdj.client.kv.GetRequest.SortOrder;
import dev.etcdj.client.kv.GetRequest.SortTarget;
import dev.etcdj.client.kv.GetResponse;
import dev.etcdj.client.kv.Kv;
import dev.etcdj.etcdctl.Arguments;
import dev.etcdj.etcdctl.Failure;
import dev.etcdj.etcdctl.Flag;
import dev.etcdj.etcdctl.Session;
import dev.etcdj.etcdctl.output.Printer;
import java.util.List;
import java.util.Locale;

/// `get`: reads a key or a range.
public final class GetCommand implements Command {
  @Override
  public String name() {
    return "get";
  }

  @Override
  public String synopsis() {
    return "[options] <key> [range_end]";
  }

  @Override
  public String description() {
    return "Gets the key or a range of keys";
  }

  @Override
  public List<Flag> flags() {
    return List.of(
        Flag.text("consistency", "l", "Linearizable(l) or Serializable(s)"),
        Flag.bool("count-only", "Get only the count"),
        Flag.bool(
            "from-key",
            "Get keys that are greater than or equal to the given key using byte compare"),
        Flag.bool("keys-only", "Get only the keys"),
        Flag.number("limit", "Maximum number of results"),
        Flag.number("max-create-rev", "Maximum create revision"),
        Flag.number("max-mod-rev", "Maximum modification revision"),
        Flag.number("min-create-rev", "Minimum create revision"),
        Flag.number("min-mod-rev", "Minimum modification revision"),
        Flag.text("order", "", "Order of results; ASCEND or DESCEND (ASCEND by default)"),
        Flag.bool("prefix", "Get keys with matching prefix"),
        Flag.bool("print-value-only", "Only write values when using the \"simple\" output format"),
        Flag.number("rev", "Specify the kv revision"),
        Flag.text("sort-by", "", "Sort target; CREATE, KEY, MODIFY, VALUE, or VERSION"),
        Flag.bool("stream", "Use the RangeStream RPC"));
  }

  @Override
  public int run(Arguments arguments, Session session) {
    GetRequest request = request(arguments);
    Kv kv = session.client().kv();
    GetResponse response =
        session.await(arguments.is("stream") ? kv.getStreamed(request) : kv.get(request));
    Printer printer = session.printer();
    // etcdctl looks at these two only now, with the answer in hand.
    if (request.content() == Content.COUNT_ONLY && !printer.format().equals("fields")) {
      throw new Failure(Failure.BAD_ARGS, "--count-only is only for `--write-out=fields`");
    }
    boolean valueOnly = arguments.is("print-value-only");
    if (valueOnly && !printer.format().equals("simple")) {
      throw new Failure(Failure.BAD_ARGS, "print-value-only is only for `--write-out=simple`");
    }
    printer.get(response, valueOnly ? Printer.View.VALUE : Printer.View.PAIR);
    return 0;
  }

  /// The request that the arguments stand for.
  ///
  /// @throws Failure when they make no sense
  static GetRequest request(Arguments arguments) {
    if (arguments.size() == 0) {
      throw new Failure(
          Failure.BAD_ARGS,
          "get command needs one argument as key and an optional argument as range_end");
    }
    boolean keysOnly = arguments.is("keys-only");
    boolean countOnly = arguments.is("count-only");
    if (arguments.is("prefix") && arguments.is("from-key")) {
      Parse.range(arguments);
    }
    if (keysOnly && countOnly) {
      throw new Failure(
          Failure.BAD_ARGS,
          "`--keys-only` and `--count-only` cannot be set at the same time, choose one");
    }
    boolean serializable = Parse.serializable(arguments);
    return new GetRequest(
        Parse.range(arguments),
        arguments.number("limit"),
        arguments.number("rev"),
        sort(arguments),
        keysOnly ? Content.KEYS_ONLY : countOnly ? Content.COUNT_ONLY : Content.PAIRS,
        serializable,
        bounds(arguments));
  }

  private static Sort sort(Arguments arguments) {
    String order = arguments.text("order").toUpperCase(Locale.ROOT);
    String target = arguments.text("sort-by").toUpperCase(Locale.ROOT);
    SortOrder sortOrder =
        switch (order) {
          case "" -> target.isEmpty() ? SortOrder.NONE : SortOrder.ASCEND;
          case "ASCEND" -> SortOrder.ASCEND;
          case "DESCEND" -> SortOrder.DESCEND;
          default -> throw new Failure(Failure.BAD_FEATURE, "bad sort order " + order);
        };
    SortTarget sortTarget =
        switch (target) {
          case "", "KEY" -> SortTarget.KEY;
          case "CREATE" -> SortTarget.CREATE;
          case "MODIFY" -> SortTarget.MOD;
          case "VALUE" -> SortTarget.VALUE;
          case "VERSION" -> SortTarget.VERSION;
          default -> throw new Failure(Failure.BAD_FEATURE, "bad sort target " + target);
        };
    return new Sort(sortOrder, sortTarget);
  }

  private static RevisionBounds bounds(Arguments arguments) {
    long minCreate = arguments.number("min-create-rev");
    long maxCreate = arguments.number("max-create-rev");
    long minMod = arguments.number("min-mod-rev");
    long maxMod = arguments.number("max-mod-rev");
    checkOrder("getMinCreateRev", minCreate, "getMaxCreateRev", maxCreate);
    checkOrder("getMinModRev", minMod, "getMaxModRev", maxMod);
    return new RevisionBounds(minMod, maxMod, minCreate, maxCreate);
  }

  private static void checkOrder(String minName, long min, String maxName, long max) {
    if (max > 0 && min > max) {
      throw new Failure(
          Failure.BAD_FEATURE, minName + "(=" + min + ") > " + maxName + "(=" + max + ")");
    }
  }
}
