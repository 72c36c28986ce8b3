/// Reading a log back: what is believed, what is cut off, what is refused.
///
/// Read in this order: `SegmentReader` (frames of one file, and what a damaged one means),
/// `Replay` (what the records add up to), `LogOpener` (the directory as a whole, and repair).
///
/// - A frame that does not checksum in the last segment, and that looks like a write which did not
///   finish (`SegmentReader.Torn`), ends the log; the file is kept aside and cut there.
/// - All other damage is refused with file, offset, expected and found, before anything is changed.
/// - Entries above the logged commit may be replaced by later records and are kept until then.
@NullMarked
package dev.etcdj.wal.recovery;

import org.jspecify.annotations.NullMarked;
