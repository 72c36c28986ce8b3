package dev.etcdj.server.apply;

import dev.etcdj.proto.status.EtcdException;
import org.jspecify.annotations.Nullable;

/// The place of the permission check at apply: after the alarms, before the quota (KV-23).
@FunctionalInterface
public interface CommandGate {
  /// Lets everything pass: authentication is off.
  CommandGate OPEN = (_, _) -> null;

  /// Why `command` in the entry `data` is refused, or null. The same on every member.
  @Nullable EtcdException refusal(Command command, byte[] data);
}
