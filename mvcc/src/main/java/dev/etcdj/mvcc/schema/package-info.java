/// What lies in the buckets of the backend, byte for byte as in etcd's (peer protocol §schema), but
/// for names too long to be a key.
///
/// Read in this order: [dev.etcdj.mvcc.schema.RevisionKey], [dev.etcdj.mvcc.schema.Meta],
/// [dev.etcdj.mvcc.schema.RowKeys], [dev.etcdj.mvcc.schema.NamedRows].
@NullMarked
package dev.etcdj.mvcc.schema;

import org.jspecify.annotations.NullMarked;
