package dev.etcdj.server.peer;

import java.time.InstantSource;
import java.util.function.LongSupplier;

/// What all parts of the transport share.
///
/// @param nanoClock for durations
/// @param wallClock for telling the time to peers and comparing clocks, nothing else
record PeerContext(
    PeerIdentity identity,
    PeerEvents events,
    PeerMetrics metrics,
    Dialer dialer,
    PeerClient client,
    LongSupplier nanoClock,
    InstantSource wallClock) {}
