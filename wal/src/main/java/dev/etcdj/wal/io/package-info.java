@NullMarked
package dev.etcdj.wal.io;

import org.jspecify.annotations.NullMarked;
