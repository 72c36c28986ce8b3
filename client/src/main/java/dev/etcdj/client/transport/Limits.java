package dev.etcdj.client.transport;

/// Message sizes.
///
/// @param requestBytes a larger request fails before it is sent
/// @param responseBytes a larger answer fails the call
public record Limits(int requestBytes, int responseBytes) {
  /// 2 MiB out, no limit in.
  public static final Limits DEFAULT = new Limits(2 * 1024 * 1024, Integer.MAX_VALUE);
}
