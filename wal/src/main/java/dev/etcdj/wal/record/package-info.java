/// The bytes of the log: records, their frames and the checksum chained over them.
///
/// Read in this order: `WalRecord` (what can be written), `RecordEncoder` (draws the frame),
/// `RecordDecoder`, `RunningCrc`. Encoding and decoding are written by hand because an entry's
/// data is then copied exactly once, from the array raft holds into the write buffer.
@NullMarked
package dev.etcdj.wal.record;

import org.jspecify.annotations.NullMarked;
