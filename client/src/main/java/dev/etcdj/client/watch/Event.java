package dev.etcdj.client.watch;

import dev.etcdj.client.kv.KeyValue;
import org.jspecify.annotations.Nullable;

/// One change of one key.
///
/// @param kv the new pair; of a deletion only key and modRevision
/// @param prevKv the pair before, when asked for, there was one and it is not compacted
/// Source: mvccpb.Event.
public record Event(Type type, KeyValue kv, @Nullable KeyValue prevKv) {
  /// What happened.
  public enum Type {
    PUT,
    DELETE
  }

  static Event of(dev.etcdj.proto.mvccpb.Event wire) {
    return new Event(
        wire.getTypeValue() == 0 ? Type.PUT : Type.DELETE,
        KeyValue.of(wire.getKv()),
        wire.hasPrevKv() ? KeyValue.of(wire.getPrevKv()) : null);
  }
}
