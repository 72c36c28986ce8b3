/// The files the log consists of: their names and the preparation of the next one.
@NullMarked
package dev.etcdj.wal.segment;

import org.jspecify.annotations.NullMarked;
