/// TODO
@NullMarked
package dev.etcdj.client.kv;

import org.jspecify.annotations.NullMarked;
