/// State of single members, and alarms: [Maintenance].
@NullMarked
package dev.etcdj.client.maintenance;

import org.jspecify.annotations.NullMarked;
