package dev.etcdj.etcdctl.command;

import java.util.List;

/// Lets tests of other packages split lines as commands do.
public final class Words {
  private Words() {}

  /// See `TxnText.words`.
  public static List<String> split(String line) {
    return TxnText.words(line);
  }
}
