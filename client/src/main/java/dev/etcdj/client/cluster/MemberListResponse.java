package dev.etcdj.client.cluster;

import dev.etcdj.client.transport.ResponseHeader;
import java.util.List;

/// The members, by id.
public record MemberListResponse(ResponseHeader header, List<Member> members) {}
