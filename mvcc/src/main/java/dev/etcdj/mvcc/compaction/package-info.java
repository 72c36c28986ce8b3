/// Physical compaction. Logically a compaction is done the moment it is applied: reads below it
/// fail. Here the rows go, in the background.
///
/// Read in this order: [dev.etcdj.mvcc.compaction.CompactionMarks],
/// [dev.etcdj.mvcc.compaction.Compactor], `CompactionRun`.
///
/// | thread     | owns                    | receives             | hands to                 |
/// |------------|-------------------------|----------------------|--------------------------|
/// | compaction | the running compaction  | the next one (of 1)  | backend units, HashLog   |
/// | apply-loop | the index, which it prunes up to `finished` |  | |
///
/// A crash at any point leaves scheduled > finished; the walk then starts over, and rows already
/// gone are not missed, only the hash is.
@NullMarked
package dev.etcdj.mvcc.compaction;

import org.jspecify.annotations.NullMarked;
