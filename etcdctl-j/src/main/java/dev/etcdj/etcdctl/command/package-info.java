/// One class per command. Each names its flags, reads its arguments and leaves printing to
/// `output`. `TxnText` and `WatchText` read what `txn` and `watch` are given.
@NullMarked
package dev.etcdj.etcdctl.command;

import org.jspecify.annotations.NullMarked;
