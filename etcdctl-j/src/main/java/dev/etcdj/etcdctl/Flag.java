package dev.etcdj.etcdctl;

import java.util.Locale;

/// A flag of a command, or of all of them.
///
/// @param name without the dashes
/// @param letter one-letter form; 0: none
/// @param fallback value when it is not given, in the flag's own notation
/// @param help one line
public record Flag(String name, char letter, Kind kind, String fallback, String help) {
  /// What a flag's value looks like.
  public enum Kind {
    BOOL,
    INT,
    STRING,
    STRINGS,
    DURATION;

    /// The word that help texts use for it; empty where no value is needed.
    String word() {
      return this == BOOL ? "" : name().toLowerCase(Locale.ROOT);
    }
  }

  /// A switch that is off unless given.
  public static Flag bool(String name, String help) {
    return new Flag(name, (char) 0, Kind.BOOL, "false", help);
  }

  /// A number, 0 unless given.
  public static Flag number(String name, String help) {
    return new Flag(name, (char) 0, Kind.INT, "0", help);
  }

  /// A text.
  public static Flag text(String name, String fallback, String help) {
    return new Flag(name, (char) 0, Kind.STRING, fallback, help);
  }

  /// The same flag with a one-letter form.
  public Flag withLetter(char value) {
    return new Flag(name, value, kind, fallback, help);
  }

  /// As typed: `--name`.
  public String dashed() {
    return "--" + name;
  }
}
