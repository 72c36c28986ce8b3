/// Keys and values: [Kv] and its requests and answers as records. `KvCodec` is the only place that
/// knows their wire form.
@NullMarked
package dev.etcdj.client.kv;

import org.jspecify.annotations.NullMarked;
