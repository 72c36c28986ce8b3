/// The write-ahead log: what makes an entry durable, in etcd's own file format.
///
/// Read in this order: `Wal` (create, open, append, sync, cut, release), `WalWriter` (group
/// commit), then the packages `record` (bytes), `segment` (files), `recovery` (reading back) and
/// `io` (the disk, and the seam for tests).
///
/// In: `WalAppend`s from the raft loop on a bounded queue; a full queue refuses. Out: each append's
/// `done`, in order of submission, once it is as durable as it asked to be; or one failure.
///
/// | thread   | owns                        | receives                | hands to         | may
// block on |
///
// |----------|-----------------------------|-------------------------|------------------|--------------|
/// | wal-sync | `Wal`, `WalWriter.doWork`   | appends (queue), releases | `done` callbacks | write,
// fdatasync |
/// | any one  | `SegmentPreparer.doWork`    | wake after each cut     | the next cut     |
// allocation   |
///
/// Lock order: the only lock is `SegmentPreparer`'s own.
///
/// Invariants:
/// - `done` of an append that must be synced runs only after the fdatasync that covers it.
/// - After a failed or short write or a failed fdatasync nothing is written, synced or told again.
/// - The last segment always has a complete, durable head; a closed segment is never written to.
/// - No segment is deleted that a restart from the newest durable snapshot record would read.
/// - What was synced is read back; what was not is read back as a prefix, or not at all.
@NullMarked
package dev.etcdj.wal;

import org.jspecify.annotations.NullMarked;
