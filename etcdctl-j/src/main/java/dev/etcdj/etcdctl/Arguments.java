package dev.etcdj.etcdctl;

import java.util.Arrays;
import java.util.List;
import java.util.Map;

/// A parsed command line: what was given, flags by name, and the rest in order.
///
/// @param given values of the flags that were given, in their own notation, already checked
/// @param flags every flag that could have been given, by name
/// @param positional all other arguments
/// @param executed what stands behind `--`, for commands that run another program
public record Arguments(
    Map<String, String> given,
    Map<String, Flag> flags,
    List<String> positional,
    List<String> executed) {

  /// Whether the flag was given, whatever its value.
  public boolean has(String name) {
    return given.containsKey(name);
  }

  /// The flag's value, or its fallback.
  public String text(String name) {
    String value = given.get(name);
    if (value != null) {
      return value;
    }
    Flag flag = flags.get(name);
    if (flag == null) {
      throw new IllegalArgumentException("no flag " + name);
    }
    return flag.fallback();
  }

  /// The value of a switch.
  public boolean is(String name) {
    return GoText.parseBool(text(name));
  }

  /// The value of a number.
  public long number(String name) {
    return GoText.parseInt(text(name), 0);
  }

  /// Positional argument `index`.
  public String at(int index) {
    return positional.get(index);
  }

  /// How many positional arguments there are.
  public int size() {
    return positional.size();
  }

  /// The same with these positional arguments and this program to run.
  public Arguments with(List<String> newPositional, List<String> newExecuted) {
    return new Arguments(given, flags, newPositional, newExecuted);
  }

  /// Comma-separated texts.
  public List<String> list(String name) {
    return Arrays.stream(text(name).split(",", -1)).map(String::strip).toList();
  }
}
