/// Log lines in etcd's shape.
@NullMarked
package dev.etcdj.server.logging;

import org.jspecify.annotations.NullMarked;
