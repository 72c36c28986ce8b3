package dev.etcdj.mvcc;

import com.google.protobuf.ByteString;

/// Which keys hang on which lease. Called by the apply loop inside a write; given by whoever
/// keeps the leases.
public interface LeaseBook {
  /// Whether `lease` is granted.
  boolean exists(long lease);

  /// `key` now hangs on `lease`, and on no other (LEASE-21); 0: on none.
  void attach(ByteString key, long lease);

  /// Lease `key` hangs on, 0 for none.
  long leaseOf(ByteString key);
}
