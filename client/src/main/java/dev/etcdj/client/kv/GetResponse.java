package dev.etcdj.client.kv;

import dev.etcdj.client.transport.ResponseHeader;
import java.util.List;

/// Answer to [GetRequest].
///
/// @param more whether the limit cut pairs off
/// @param count pairs in the range, whatever the limit
public record GetResponse(ResponseHeader header, List<KeyValue> kvs, boolean more, long count)
    implements OpResponse {}
