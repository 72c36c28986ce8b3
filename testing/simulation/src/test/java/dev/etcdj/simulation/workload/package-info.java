/// The clients: [dev.etcdj.simulation.workload.Workload] holds readers and writers (`KvClient`),
/// watchers (`Watching`) and holders of leases (`LeaseHolder`), each a `Client`. `Call` is how a
/// request travels.
@NullUnmarked
package dev.etcdj.simulation.workload;

import org.jspecify.annotations.NullUnmarked;
