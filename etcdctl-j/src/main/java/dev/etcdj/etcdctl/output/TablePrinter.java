package dev.etcdj.etcdctl.output;

import dev.etcdj.etcdctl.Console;

/// A frame of box-drawing characters, for answers that are rows.
final class TablePrinter extends Printer {
  private final Console console;

  TablePrinter(Console console) {
    super("table");
    this.console = console;
  }
}
