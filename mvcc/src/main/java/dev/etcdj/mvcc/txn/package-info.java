@NullMarked
package dev.etcdj.mvcc.txn;

import org.jspecify.annotations.NullMarked;
