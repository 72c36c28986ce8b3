/// The same requests to real etcd and to us, answers compared field by field.
///
/// Read in this order: `Script` (the notation), `Run` (plays a program to one server), `Comparer`
/// and `Canonical` (what counts as a difference), `HandPickedTest`, then `Generator`, `Shrinker`
/// and `GeneratedTest`. The scripts lie in the resources, one per area: `put`, `range`, `delete`,
/// `txn`, `compact`, `watch`, `lease`, `errors`; each case cites the rules it shows, and
/// `not-shown.txt` lists those that none can, with the reason.
///
/// A program runs on an empty key space of a pair of servers that have seen the same programs
/// before. Both play it at once, each at its own pace: steps one after the other, neighbouring
/// reads at once, watch streams beside. Before anything that could race with a watcher that is
/// behind, a generated program settles: a marker that each watcher sees is put and deleted, and
/// must have arrived.
///
/// Several pairs are busy at once. All their connections share one event loop, on which each answer
/// begins the next step; the tests' threads only wait for whole programs. A time limit says nothing
/// about the servers when the machine was busy or stood still, so a program that ran into one is
/// played again.
///
/// Not compared: cluster and member ids, terms, raft indexes, sizes; and what `docs/divergence.md`
/// says differs on purpose. The properties `seed`, `ops`, `pairs`, `program`, `reports` and `files`
/// steer a run; without a built oracle the tests are skipped.
@NullMarked
package dev.etcdj.conformance;

import org.jspecify.annotations.NullMarked;
