/// A whole cluster on one thread: virtual time, seeded faults, every invariant checked.
@NullMarked
package dev.etcdj.simulation;

import org.jspecify.annotations.NullMarked;
