/// Membership: [Cluster].
@NullMarked
package dev.etcdj.client.cluster;

import org.jspecify.annotations.NullMarked;
