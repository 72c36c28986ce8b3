/// TODO
@NullMarked
package dev.etcdj.etcdctl.output;

import org.jspecify.annotations.NullMarked;
