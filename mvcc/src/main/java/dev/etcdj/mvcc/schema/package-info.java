@NullMarked
package dev.etcdj.mvcc.schema;

import org.jspecify.annotations.NullMarked;
