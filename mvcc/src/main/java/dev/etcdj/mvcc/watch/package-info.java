/// Watches: from a committed revision to the messages of every client that asked for it.
///
/// Read in this order: `WatchHub` (the whole), `Watcher` (a position, and how a mark is handed
/// over), `Fanout` (commits mark watchers), `ClientStream` (what a client gets next), `LiveFeed`
/// (from the ring, one response per revision), `Replay` and `CatchUp` (from history, in shared
/// chunks); then the containers `RecentEvents`, `WatcherIndex`, `RangeTree`, `HistoryCache`.
///
/// A watcher is synced, on its way through the past, or ended by compaction. It holds no events:
/// every message is made when its stream polls, out of a ring or chunk shared by all. So a stream
/// that does not poll costs positions only: its watchers leave the index after 128 marks and are
/// not looked at again until it polls.
///
/// | thread        | owns                   | receives          | hands to      | may wait for  |
/// |---------------|------------------------|-------------------|---------------|---------------|
/// | apply-loop    | ring, index, marks     | revisions         | stream stacks | the hub lock  |
/// | stream's loop | watchers, queues       | marks, grants     | `CatchUp`     | hub lock, (1) |
/// | watch-sync    | chunks, lookups, ticks | one ask a stream  | grants, ticks | store's disk  |
///
/// (1) a live prev_kv, looked up once per event for all watchers.
///
/// Bounds: ring by revisions and bytes; chunks of history by bytes, and while all of them are
/// about to be looked at no further one is read (100 ms at most); marks by one queue place per
/// watcher; asks by one per stream; control answers by [WatchStream#acceptsControl]; a catch-up
/// response by revisions and bytes.
///
/// Locks: the hub's (monitor of `Fanout`), `HistorySource` (shared for reads), and the monitors of
/// `CatchUp`, `HistoryCache`, `ProgressTimers`. None is held while another is taken, and no
/// wake-up runs under any of them.
///
/// Invariants:
/// - `last` reaches R only when every synced watcher that R concerns is marked.
/// - A watcher outside the index has `queued` set, so it is in its stream's hands, or has ended.
/// - `next` of a watcher grows only; every matching event below it was sent.
@NullMarked
package dev.etcdj.mvcc.watch;

import org.jspecify.annotations.NullMarked;
