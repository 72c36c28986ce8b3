@NullMarked
package dev.etcdj.mvcc;

import org.jspecify.annotations.NullMarked;
