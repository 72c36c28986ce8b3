/// TODO
@NullMarked
package dev.etcdj.etcdctl;

import org.jspecify.annotations.NullMarked;
