/// Real member processes, killed, restarted and fed bad input; what clients saw is checked against
/// what the members hold.
///
/// Read in this order: [MemberProcess], [ProcessCluster], [History] (what clients saw, and the
/// checks), [Writers], [Follower]; then the tests.
@NullMarked
package dev.etcdj.robustness;

import org.jspecify.annotations.NullMarked;
