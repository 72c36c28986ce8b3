/// TODO
@NullMarked
package dev.etcdj.client.transport;

import org.jspecify.annotations.NullMarked;
