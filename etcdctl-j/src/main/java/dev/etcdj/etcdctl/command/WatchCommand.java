package dev.etcdj.etcdctl.command;

import dev.etcdj.client.watch.Watcher;
import dev.etcdj.etcdctl.Arguments;
import dev.etcdj.etcdctl.Failure;
import dev.etcdj.etcdctl.Flag;
import dev.etcdj.etcdctl.FlagParser;
import dev.etcdj.etcdctl.LineReader;
import dev.etcdj.etcdctl.Session;
import java.util.ArrayList;
import java.util.List;

/// `watch`: prints changes as they happen, and may run a program for each.
///
/// Interactive watches print from threads of their own, one each, while this one reads lines.
public final class WatchCommand implements Command {
  @Override
  public String name() {
    return "watch";
  }

  @Override
  public String synopsis() {
    return "[options] [key or prefix] [range_end] [--] [exec-command arg1 arg2 ...]";
  }

  @Override
  public String description() {
    return "Watches events stream on keys or prefixes";
  }

  @Override
  public List<Flag> flags() {
    return List.of(
        Flag.bool("interactive", "Interactive mode").withLetter('i'),
        Flag.bool("prefix", "Watch on a prefix if prefix is set"),
        Flag.bool("prev-kv", "get the previous key-value pair before the event happens"),
        Flag.bool("progress-notify", "get periodic watch progress notification from server"),
        Flag.number("rev", "Revision to start watching"));
  }

  @Override
  public boolean runsProgram() {
    return true;
  }

  @Override
  public int run(Arguments arguments, Session session) {
    if (arguments.is("interactive")) {
      return interactive(session);
    }
    WatchPrinter watch =
        WatchPrinter.start(
            WatchText.request(arguments, session.console()), session, arguments.executed());
    int exit = watch.untilEnd();
    throw exit == 0
        ? new Failure(Failure.INTERRUPTED, "watch is canceled by the server")
        : new Failure(exit, "");
  }

  private int interactive(Session session) {
    LineReader lines = new LineReader(session.console().in());
    List<Watcher> watchers = new ArrayList<>();
    session.globals();
    while (true) {
      String line = lines.next();
      if (line == null) {
        throw new Failure(Failure.INVALID_INPUT, "error reading watch request line: EOF");
      }
      List<String> words = TxnText.words(line.strip());
      if (words.isEmpty()) {
        complain("Invalid command:  (watch and progress supported)", session);
      } else if (words.getFirst().equals("progress")) {
        watchers.forEach(Watcher::requestProgress);
      } else if (!words.getFirst().equals("watch")) {
        complain("Invalid command " + words.getFirst() + " (only support watch)", session);
      } else if (words.size() < 2 && WatchText.keyOf(session.console()).isEmpty()) {
        complain(
            "Invalid command " + line.strip() + " (command type or key is not provided)", session);
      } else {
        watchers.add(another(words.subList(1, words.size()), session));
      }
    }
  }

  private Watcher another(List<String> words, Session session) {
    int dashes = words.indexOf("--");
    List<String> own = dashes < 0 ? words : words.subList(0, dashes);
    List<String> program = dashes < 0 ? List.of() : words.subList(dashes + 1, words.size());
    Arguments arguments;
    try {
      arguments = new FlagParser(flags()).parse(own);
    } catch (Failure bad) {
      throw new Failure(Failure.BAD_ARGS, bad.text());
    }
    WatchPrinter watch =
        WatchPrinter.start(WatchText.request(arguments, session.console()), session, program);
    Thread.ofPlatform().daemon().name("watch-printer").start(watch::untilEnd);
    return watch.watcher();
  }

  private static void complain(String text, Session session) {
    session.console().errorLine(text);
  }
}
