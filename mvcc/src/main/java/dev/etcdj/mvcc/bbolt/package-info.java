/// bbolt files: the form in which a store leaves for etcd, for another member and for a backup, and
/// in which data enters.
///
/// Read in this order: `BboltFormat` (the layout), `BboltWriter` over `TreeBuilder`, `BboltReader`
/// over `BboltPage`. Both sides hold one page per level of a tree in memory, whatever the size of
/// the file. No thread of their own; one thread at a time.
@NullMarked
package dev.etcdj.mvcc.bbolt;

import org.jspecify.annotations.NullMarked;
