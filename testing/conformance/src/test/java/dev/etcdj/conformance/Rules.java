package dev.etcdj.conformance;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// The rules that speak of a field, for programs that cite none.
final class Rules {
  private Rules() {}

  /// @param path of the field in the answer, such as `responses[0].response_range.count`
  static List<String> of(@Nullable Step step, String path) {
    return switch (step) {
      case null -> List.of("WATCH-43", "WATCH-57", "WATCH-110");
      case Step.Watch _, Step.Expect _ -> List.of("WATCH-11", "WATCH-30", "WATCH-45");
      case Step.KeepAlive _ -> List.of("LEASE-40", "LEASE-41", "LEASE-42");
      case Step.Call call -> call(call.verb(), path);
      default -> List.of();
    };
  }

  private static List<String> call(Verb verb, String path) {
    if (path.equals("code") || path.equals("text")) {
      return error(verb);
    }
    if (path.contains("response_txn") || verb == Verb.TXN && path.contains("succeeded")) {
      return List.of("KV-81", "KV-82", "KV-83");
    }
    String leaf = path.substring(path.lastIndexOf('.') + 1);
    return switch (leaf) {
      case "version", "create_revision", "mod_revision" -> List.of("KV-4", "KV-5");
      case "revision" -> List.of("KV-2", "KV-11", "KV-12");
      case "count" -> List.of("KV-39");
      case "more" -> List.of("KV-38");
      case "deleted" -> List.of("KV-73", "KV-74");
      case "header" -> List.of("KV-13");
      case "lease" -> List.of("KV-69", "LEASE-21");
      case "key", "value", "kvs" -> List.of("KV-37", "KV-43", "KV-44", "KV-46");
      default ->
          switch (verb) {
            case HASH_KV -> List.of("KV-111", "KV-112", "KV-114");
            case TTL -> List.of("LEASE-62", "LEASE-63");
            case LEASES -> List.of("LEASE-70");
            case PUT -> List.of("KV-68");
            default -> List.of();
          };
    };
  }

  private static List<String> error(Verb verb) {
    return switch (verb) {
      case RANGE, RANGE_STREAM -> List.of("KV-30", "KV-31", "KV-36", "KV-55");
      case PUT -> List.of("KV-65", "KV-66");
      case DELETE -> List.of("KV-72");
      case TXN -> List.of("KV-76", "KV-78", "KV-79", "KV-88");
      case COMPACT -> List.of("KV-100");
      case GRANT -> List.of("LEASE-12", "LEASE-14");
      case REVOKE -> List.of("LEASE-31");
      case HASH_KV -> List.of("KV-110");
      default -> List.of("ERR-1");
    };
  }
}
