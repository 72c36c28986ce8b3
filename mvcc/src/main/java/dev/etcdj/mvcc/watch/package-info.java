@NullMarked
package dev.etcdj.mvcc.watch;

import org.jspecify.annotations.NullMarked;
