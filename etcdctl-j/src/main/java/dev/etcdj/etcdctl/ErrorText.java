package dev.etcdj.etcdctl;

import dev.etcdj.proto.status.EtcdException;
import dev.etcdj.proto.status.RpcError;
import java.util.Arrays;
import java.util.stream.Collectors;

/// The client's failures in etcdctl's words.
public final class ErrorText {
  private ErrorText() {}

  /// The bare text of an error that etcd knows by name; any other with its code in front.
  public static String of(EtcdException error) {
    String text = error.text();
    for (RpcError known : RpcError.values()) {
      if (known.text().equals(text)) {
        return text;
      }
    }
    if (text.startsWith("etcdserver: ")) {
      return text;
    }
    return "rpc error: code = " + camelCase(error.code()) + " desc = " + text;
  }

  private static String camelCase(RpcError.Code code) {
    return Arrays.stream(code.name().split("_", -1))
        .map(word -> word.charAt(0) + word.substring(1).toLowerCase(java.util.Locale.ROOT))
        .collect(Collectors.joining());
  }
}
