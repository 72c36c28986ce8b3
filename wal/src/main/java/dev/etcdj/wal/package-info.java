@NullMarked
package dev.etcdj.wal;

import org.jspecify.annotations.NullMarked;
