package dev.etcdj.etcdctl;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/// Splits a command line into flags and arguments with picocli, set to the habits of Go's pflag:
/// flags before, between and behind arguments, the last one wins, `--` ends them, nothing is
/// expanded, and a flag takes whatever follows it as its value.
///
/// The model is built by hand for the one command at hand: reading annotations of all commands
/// would cost more than the request.
public final class FlagParser {
  private final Map<String, Flag> flags = new LinkedHashMap<>();
  private final CommandLine parser;

  /// For a command that takes these flags.
  public FlagParser(List<Flag> accepted) {
    CommandSpec spec = CommandSpec.create();
    for (Flag flag : accepted) {
      flags.put(flag.name(), flag);
      spec.addOption(option(flag));
    }
    spec.addPositional(
        PositionalParamSpec.builder()
            .index("0..*")
            .arity("0..*")
            .type(List.class)
            .auxiliaryTypes(String.class)
            .build());
    parser = new CommandLine(spec);
    parser
        .setExpandAtFiles(false)
        .setInterpolateVariables(false)
        .setOverwrittenOptionsAllowed(true)
        .setAllowOptionsAsOptionParameters(true)
        .setTrimQuotes(false)
        .setToggleBooleanFlags(false);
  }

  private static OptionSpec option(Flag flag) {
    List<String> names = new ArrayList<>();
    names.add(flag.dashed());
    if (flag.letter() != 0) {
      names.add("-" + flag.letter());
    }
    OptionSpec.Builder builder = OptionSpec.builder(names.toArray(String[]::new));
    if (flag.kind() == Flag.Kind.BOOL) {
      return builder.type(Boolean.class).arity("0").build();
    }
    return builder.type(String.class).arity("1").build();
  }

  /// Parses `args`.
  ///
  /// @throws Failure with pflag's own words
  public Arguments parse(List<String> args) {
    Map<String, String> given = new LinkedHashMap<>();
    List<String> plain = takeAssignedSwitches(args, given);
    ParseResult result;
    try {
      result = parser.parseArgs(plain.toArray(String[]::new));
    } catch (UnmatchedArgumentException e) {
      throw unknown(e.getUnmatched().getFirst());
    } catch (MissingParameterException e) {
      throw missing(e, plain.getLast());
    } catch (ParameterException e) {
      throw invalid(e);
    }
    for (OptionSpec option : result.matchedOptions()) {
      String name = option.longestName().substring(2);
      Object found = option.getValue();
      String value = String.valueOf(found);
      check(name, value);
      given.putIfAbsent(name, value);
    }
    List<String> positional = new ArrayList<>();
    if (result.hasMatchedPositional(0)) {
      positional.addAll(result.matchedPositional(0).originalStringValues());
    }
    refuseFlagsAmong(positional, plain);
    return new Arguments(given, flags, List.copyOf(positional), List.of());
  }

  /// Takes out switches of the form `--name=value`, for which picocli has no setting that does not
  /// also let a bare switch swallow the argument behind it.
  private List<String> takeAssignedSwitches(List<String> args, Map<String, String> given) {
    List<String> rest = new ArrayList<>();
    boolean ended = false;
    for (String arg : args) {
      int equals = arg.indexOf('=');
      Flag flag = equals > 2 && arg.startsWith("--") ? flags.get(arg.substring(2, equals)) : null;
      if (!ended && flag != null && flag.kind() == Flag.Kind.BOOL) {
        check(flag.name(), arg.substring(equals + 1));
        given.put(flag.name(), arg.substring(equals + 1));
      } else {
        rest.add(arg);
      }
      ended |= arg.equals("--");
    }
    return rest;
  }

  /// To picocli `-1` is an argument, to pflag an unknown flag unless it stands behind `--`.
  private static void refuseFlagsAmong(List<String> positional, List<String> args) {
    int dashes = args.indexOf("--");
    int behind = dashes < 0 ? 0 : args.size() - dashes - 1;
    for (String arg : positional.subList(0, Math.max(0, positional.size() - behind))) {
      if (arg.startsWith("-") && arg.length() > 1) {
        throw unknown(arg);
      }
    }
  }

  /// Checks a value against its flag's kind, wherever it came from.
  ///
  /// @throws Failure with pflag's own words
  public void check(String name, String value) {
    Flag flag = flags.get(name);
    if (flag == null) {
      return;
    }
    try {
      switch (flag.kind()) {
        case BOOL -> GoText.parseBool(value);
        case INT -> GoText.parseInt(value, 0);
        case DURATION -> GoDuration.parse(value);
        case STRING, STRINGS -> {}
      }
    } catch (IllegalArgumentException e) {
      throw badValue(flag, value, e);
    }
  }

  private static Failure badValue(Flag flag, String value, Exception cause) {
    String shown = flag.letter() != 0 ? "-" + flag.letter() + ", " + flag.dashed() : flag.dashed();
    return new Failure(
        Failure.ERROR,
        "invalid argument "
            + GoText.quote(value)
            + " for "
            + GoText.quote(shown)
            + " flag: "
            + cause.getMessage());
  }

  private static Failure unknown(String argument) {
    if (argument.startsWith("--")) {
      int equals = argument.indexOf('=');
      String name = equals < 0 ? argument : argument.substring(0, equals);
      return new Failure(Failure.ERROR, "unknown flag: " + name);
    }
    return new Failure(
        Failure.ERROR, "unknown shorthand flag: '" + argument.substring(1, 2) + "' in " + argument);
  }

  private static Failure missing(MissingParameterException e, String last) {
    String name =
        e.getMissing().getFirst() instanceof OptionSpec option ? option.longestName() : "";
    String letter = last.startsWith("-") && !last.startsWith("--") ? last.substring(1) : "";
    return new Failure(
        Failure.ERROR,
        "flag needs an argument: " + (letter.isEmpty() ? name : "'" + letter + "' in -" + letter));
  }

  private Failure invalid(ParameterException e) {
    if (e.getArgSpec() instanceof OptionSpec option) {
      Flag flag = flags.get(option.longestName().substring(2));
      String value = e.getValue();
      if (flag != null && value != null) {
        check(flag.name(), value);
      }
    }
    return new Failure(Failure.ERROR, String.valueOf(e.getMessage()));
  }
}
