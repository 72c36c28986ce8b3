/// One replica of the state machine: everything of a member that needs neither socket nor thread.
///
/// Read in this order: [dev.etcdj.server.replica.Replica] (the wiring), then what it holds, package
/// by package. A member gives each of [dev.etcdj.server.replica.Replica#agents] a thread and puts
/// ports around; a simulation steps the same agents on one thread, with clocks, network and disks
/// of its own.
///
/// The seams: clock, randomness, trace and peers come in a
/// [dev.etcdj.server.replica.Replica.Seams]; the disk in a
/// [dev.etcdj.server.durable.MemberStorage]; scheduling through
/// [dev.etcdj.server.replica.Wakeups].
@NullMarked
package dev.etcdj.server.replica;

import org.jspecify.annotations.NullMarked;
