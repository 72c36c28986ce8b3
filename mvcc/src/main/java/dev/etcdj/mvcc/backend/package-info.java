@NullMarked
package dev.etcdj.mvcc.backend;

import org.jspecify.annotations.NullMarked;
