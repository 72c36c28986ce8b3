package dev.etcdj.etcdctl.output;

import dev.etcdj.etcdctl.Console;

/// The message's bytes as they are on the wire, without a newline.
final class ProtobufPrinter extends Printer {
  private final Console console;

  ProtobufPrinter(Console console) {
    super("protobuf");
    this.console = console;
  }
}
