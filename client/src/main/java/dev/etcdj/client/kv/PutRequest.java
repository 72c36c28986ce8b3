package dev.etcdj.client.kv;

import com.google.protobuf.ByteString;

/// Sets a key.
///
/// @param lease id of the lease to hang it on; 0: none
/// @param prevKv whether to return the pair it replaces
/// @param ignoreValue keep the value, which must then be empty here; the key must exist
/// @param ignoreLease keep the lease, which must then be 0 here; the key must exist
/// Source: etcdserverpb.PutRequest.
public record PutRequest(
    ByteString key,
    ByteString value,
    long lease,
    boolean prevKv,
    boolean ignoreValue,
    boolean ignoreLease)
    implements Op {
  /// A plain put.
  public static PutRequest of(ByteString key, ByteString value) {
    return new PutRequest(key, value, 0, false, false, false);
  }

  /// Changes the lease.
  public PutRequest withLease(long id) {
    return new PutRequest(key, value, id, prevKv, ignoreValue, ignoreLease);
  }

  /// Changes whether the replaced pair is returned.
  public PutRequest withPrevKv(boolean wanted) {
    return new PutRequest(key, value, lease, wanted, ignoreValue, ignoreLease);
  }
}
