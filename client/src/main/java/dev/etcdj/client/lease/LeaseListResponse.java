package dev.etcdj.client.lease;

import dev.etcdj.client.transport.ResponseHeader;
import java.util.List;

/// Ids of all leases.
public record LeaseListResponse(ResponseHeader header, List<Long> ids) {}
