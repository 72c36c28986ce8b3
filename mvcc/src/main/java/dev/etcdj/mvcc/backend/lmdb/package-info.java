/// The C library LMDB 0.9, called through the foreign-function API, and nothing else of the store.
@NullMarked
package dev.etcdj.mvcc.backend.lmdb;

import org.jspecify.annotations.NullMarked;
