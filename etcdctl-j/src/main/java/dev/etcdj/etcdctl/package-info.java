/// The command line client, which prints what etcdctl 3.7 prints and ends as it does.
///
/// Read in this order: `Main`, `Commands` (which command is meant), `FlagParser` (what was given),
/// `Session` (the environment, the client, the printer), then a class of `command` and its form in
/// `output`. `GoText` and `GoDuration` hold the notations that scripts depend on.
///
/// One thread runs a command; interactive watches print from threads of their own, `watch-printer`.
/// A command ends with its exit code or by throwing `Failure`, which is an answer to its user and
/// goes no further than `Main`.
@NullMarked
package dev.etcdj.etcdctl;

import org.jspecify.annotations.NullMarked;
