/// The one table of client-visible errors.
@NullMarked
package dev.etcdj.proto.status;

import org.jspecify.annotations.NullMarked;
