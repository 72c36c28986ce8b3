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
        PositionalParamSpec.builder().index("0..*").arity("0..*").type(List.class)
            .auxiliaryTypes(String.class).build());
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
      return builder.type(Boolean.class).arity("0").converters(FlagParser::bool).build();
    }
    return builder.type(String.class).arity("1").build();
  }

  private static Boolean bool(String text) {
    return GoText.parseBool(text);
  }

  /// Parses `args`.
  ///
  /// @throws Failure with pflag's own words
  public Arguments parse(List<String> args) {
    ParseResult result;
    try {
      result = parser.parseArgs(args.toArray(String[]::new));
    } catch (UnmatchedArgumentException e) {
      throw unknown(e.getUnmatched().getFirst());
    } catch (MissingParameterException e) {
      throw missing(e);
    } catch (ParameterException e) {
      throw invalid(e);
    }
    Map<String, String> given = new LinkedHashMap<>();
    for (OptionSpec option : result.matchedOptions()) {
      String name = option.longestName().substring(2);
      Object value = option.getValue();
      given.put(name, String.valueOf(value));
      check(name, given.get(name));
    }
    List<String> positional = new ArrayList<>();
    if (result.hasMatchedPositional(0)) {
      positional.addAll(result.matchedPositional(0).originalStringValues());
    }
    return new Arguments(given, flags, List.copyOf(positional), List.of());
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
        Failure.ERROR,
        "unknown shorthand flag: '" + argument.substring(1, 2) + "' in " + argument);
  }

  private static Failure missing(MissingParameterException e) {
    String name = e.getMissing().getFirst() instanceof OptionSpec option ? option.longestName() : "";
    return new Failure(Failure.ERROR, "flag needs an argument: " + name);
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
