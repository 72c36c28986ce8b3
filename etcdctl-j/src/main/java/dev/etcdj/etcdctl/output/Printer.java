package dev.etcdj.etcdctl.output;

import dev.etcdj.client.kv.DeleteResponse;
import dev.etcdj.client.kv.GetResponse;
import dev.etcdj.client.kv.PutResponse;
import dev.etcdj.client.kv.TxnResponse;
import dev.etcdj.etcdctl.Arguments;
import dev.etcdj.etcdctl.Console;
import dev.etcdj.etcdctl.Failure;

/// Prints answers in one format. A format that has no form for an answer refuses it, with exit 4.
public abstract class Printer {
  private final String format;

  Printer(String format) {
    this.format = format;
  }

  /// The printer that `--write-out` and `--hex` ask for.
  ///
  /// @throws Failure with exit 4 for an unknown format
  public static Printer of(Console console, Arguments flags) {
    boolean hex = flags.is("hex");
    return switch (flags.text("write-out")) {
      case "simple" -> new SimplePrinter(console, hex);
      case "fields" -> new FieldsPrinter(console, hex);
      case "json" -> new JsonPrinter(console, hex);
      case "table" -> new TablePrinter(console);
      case "protobuf" -> new ProtobufPrinter(console);
      default -> throw new Failure(Failure.BAD_FEATURE, "unsupported output format");
    };
  }

  /// The format's name.
  public String format() {
    return format;
  }

  /// Answer to `put`.
  public void put(PutResponse response) {
    throw unsupported();
  }

  /// Answer to `get`.
  ///
  /// @param view what to show of each pair, in the simple format
  public void get(GetResponse response, View view) {
    throw unsupported();
  }

  /// Answer to `del`.
  public void delete(DeleteResponse response) {
    throw unsupported();
  }

  /// Answer to `txn`.
  public void txn(TxnResponse response) {
    throw unsupported();
  }

  /// What to show of a pair.
  public enum View {
    PAIR,
    KEY,
    VALUE
  }

  final Failure unsupported() {
    return new Failure(Failure.BAD_FEATURE, format + " not supported as output format");
  }
}
