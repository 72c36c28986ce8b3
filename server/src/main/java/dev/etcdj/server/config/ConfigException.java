package dev.etcdj.server.config;

/// The settings given cannot be used. `exitCode` is what the process ends with: 2 for what the
/// command line's grammar refuses, 1 for what a check refuses, as etcd does.
public final class ConfigException extends Exception {
  private static final long serialVersionUID = 1L;

  private final int exitCode;

  public ConfigException(int exitCode, String message) {
    super(message);
    this.exitCode = exitCode;
  }

  /// Status the process ends with.
  public int exitCode() {
    return exitCode;
  }
}
