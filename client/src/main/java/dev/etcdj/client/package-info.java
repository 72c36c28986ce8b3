/// TODO
@NullMarked
package dev.etcdj.client;

import org.jspecify.annotations.NullMarked;
