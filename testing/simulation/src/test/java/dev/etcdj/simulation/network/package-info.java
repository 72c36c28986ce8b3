/// What is between the members: [dev.etcdj.simulation.network.Network] stands for streams,
// pipelines,
/// snapshot transfers and lease calls of the peer port.
@NullUnmarked
package dev.etcdj.simulation.network;

import org.jspecify.annotations.NullUnmarked;
