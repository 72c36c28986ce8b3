package dev.etcdj.client.kv;

import com.google.protobuf.ByteString;

/// A key with its value at one revision.
///
/// @param createRevision revision of the put that created it; 0 in a deletion's event
/// @param modRevision revision of the last change
/// @param version puts since it was created; 0 in a deletion's event
/// @param lease id of the lease it hangs on; 0: none
/// Source: mvccpb.KeyValue.
public record KeyValue(
    ByteString key,
    long createRevision,
    long modRevision,
    long version,
    ByteString value,
    long lease) {
  /// Reads the wire form.
  public static KeyValue of(dev.etcdj.proto.mvccpb.KeyValue wire) {
    return new KeyValue(
        wire.getKey(),
        wire.getCreateRevision(),
        wire.getModRevision(),
        wire.getVersion(),
        wire.getValue(),
        wire.getLease());
  }
}
