/// TODO
@NullMarked
package dev.etcdj.client.maintenance;

import org.jspecify.annotations.NullMarked;
