package dev.etcdj.client.kv;

import dev.etcdj.client.transport.ResponseHeader;
import java.util.List;

/// Answer to [TxnRequest].
///
/// @param succeeded which branch was taken
/// @param responses one per operation of that branch, in its order
public record TxnResponse(ResponseHeader header, boolean succeeded, List<OpResponse> responses)
    implements OpResponse {}
