package dev.etcdj.client.kv;

import dev.etcdj.client.transport.ResponseHeader;
import org.jspecify.annotations.Nullable;

/// Answer to [PutRequest].
///
/// @param prevKv the replaced pair, when asked for and there was one
public record PutResponse(ResponseHeader header, @Nullable KeyValue prevKv) implements OpResponse {}
