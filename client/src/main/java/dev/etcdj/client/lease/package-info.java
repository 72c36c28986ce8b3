/// TODO
@NullMarked
package dev.etcdj.client.lease;

import org.jspecify.annotations.NullMarked;
