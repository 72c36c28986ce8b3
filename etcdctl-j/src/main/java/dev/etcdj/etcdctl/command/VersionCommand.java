package dev.etcdj.etcdctl.command;

import dev.etcdj.etcdctl.Arguments;
import dev.etcdj.etcdctl.Session;

/// `version`: the etcdctl version that this one equals.
public final class VersionCommand implements Command {
  private static final String VERSION = "3.7.1";
  private static final String API_VERSION = "3.7";

  @Override
  public String name() {
    return "version";
  }

  @Override
  public String synopsis() {
    return "";
  }

  @Override
  public String description() {
    return "Prints the version of etcdctl";
  }

  @Override
  public int run(Arguments arguments, Session session) {
    session.console().line("etcdctl version: " + VERSION);
    session.console().line("API version: " + API_VERSION);
    return 0;
  }
}
