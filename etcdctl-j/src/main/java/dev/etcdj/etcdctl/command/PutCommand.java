package dev.etcdj.etcdctl.command;

import com.google.protobuf.ByteString;
import dev.etcdj.client.kv.PutRequest;
import dev.etcdj.etcdctl.Arguments;
import dev.etcdj.etcdctl.Console;
import dev.etcdj.etcdctl.Failure;
import dev.etcdj.etcdctl.Flag;
import dev.etcdj.etcdctl.Session;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// `put`: sets a key.
public final class PutCommand implements Command {
  @Override
  public String name() {
    return "put";
  }

  @Override
  public String synopsis() {
    return "[options] <key> <value> (<value> can also be given from stdin)";
  }

  @Override
  public String description() {
    return """
        Puts the given key into the store

        A value that is not given is read from standard input, byte for byte. A value that begins
        with a dash goes behind "--".""";
  }

  @Override
  public List<Flag> flags() {
    return List.of(
        Flag.bool("ignore-lease", "updates the key using its current lease"),
        Flag.bool("ignore-value", "updates the key using its current value"),
        Flag.text("lease", "0", "lease ID (in hexadecimal) to attach to the key"),
        Flag.bool("prev-kv", "return the previous key-value pair before modification"));
  }

  @Override
  public int run(Arguments arguments, Session session) {
    PutRequest request = request(arguments, session.console());
    session.globals();
    session.printer().put(session.await(session.client().kv().put(request)));
    return 0;
  }

  /// The request that the arguments stand for.
  ///
  /// @param console where a missing value is read from
  /// @throws Failure when they make no sense
  static PutRequest request(Arguments arguments, @Nullable Console console) {
    if (arguments.size() == 0) {
      throw new Failure(
          Failure.BAD_ARGS, "put command needs 1 argument and input from stdin or 2 arguments");
    }
    long lease = Parse.leaseId(arguments.text("lease"), "bad lease ID (%s), expecting ID in Hex");
    boolean ignoreValue = arguments.is("ignore-value");
    if (ignoreValue && arguments.size() > 1) {
      throw new Failure(
          Failure.BAD_ARGS, "put command needs only 1 argument when 'ignore-value' is set");
    }
    return new PutRequest(
        ByteString.copyFromUtf8(arguments.at(0)),
        ignoreValue ? ByteString.EMPTY : value(arguments, console),
        lease,
        arguments.is("prev-kv"),
        ignoreValue,
        arguments.is("ignore-lease"));
  }

  private static ByteString value(Arguments arguments, @Nullable Console console) {
    if (arguments.size() > 1) {
      return ByteString.copyFromUtf8(arguments.at(1));
    }
    ByteString read = ByteString.EMPTY;
    if (console != null) {
      try {
        read = ByteString.readFrom(console.in());
      } catch (IOException e) {
        throw new Failure(Failure.BAD_ARGS, String.valueOf(e.getMessage()));
      }
    }
    if (read.isEmpty()) {
      throw new Failure(
          Failure.BAD_ARGS, "put command needs 1 argument and input from stdin or 2 arguments");
    }
    return read;
  }
}
