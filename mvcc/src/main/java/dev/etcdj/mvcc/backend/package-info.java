/// An ordered, durable byte store that changes by whole units.
///
/// Read in this order: [dev.etcdj.mvcc.backend.Backend], `BatchedBackend` (batches, publish,
/// commit), `Overlay` (what readers see of a batch), `OverlayView` (the merge), `Engine`, then
/// [dev.etcdj.mvcc.backend.LmdbBackend] with `LmdbEngine`, or
/// [dev.etcdj.mvcc.backend.MemoryBackend].
///
/// ```
/// unit.publish() → current batch ──(freeze)──→ frozen batch ──(doWork)──→ disk
///                        ▲                           ▲                     ▲
/// read() ────────────────┴───────────────────────────┴─────────────────────┘
///
/// freeze: after 100 ms, 10 000 operations, or commit()
/// ```
///
/// | thread     | does                       | waits for                                    |
/// |------------|----------------------------|----------------------------------------------|
/// | apply-loop | publishes units            | room, while two batches are full             |
/// | backend    | `doWork`: freezes, commits | the disk; a lock for as long as a unit takes |
/// | any        | `read`, sizes              | nothing                                      |
///
/// Lock order: committing, then the batches' lock; listeners and futures run under neither of them
/// but the first.
///
/// Invariants: durable ≤ frozen ≤ published position. A view holds the units 1..n for one n. A
/// batch is on disk whole or not at all. After a commit whose outcome is unknown nothing is
/// committed any more; only a commit that is known to have changed nothing (no room) is repeated.
///
/// Limits: a batch holds 10 000 operations or 64 MiB plus one unit, and there are two; a view is
/// one of 4096; a key has 511 bytes at most.
@NullMarked
package dev.etcdj.mvcc.backend;

import org.jspecify.annotations.NullMarked;
