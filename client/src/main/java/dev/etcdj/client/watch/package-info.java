/// TODO
@NullMarked
package dev.etcdj.client.watch;

import org.jspecify.annotations.NullMarked;
