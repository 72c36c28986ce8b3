package dev.etcdj.client.transport;

/// What every answer carries. Ids and the term are unsigned 64-bit numbers.
///
/// @param clusterId the cluster that answered
/// @param memberId the member that answered
/// @param revision the store's revision when the request was applied; 0 where there is none
/// @param raftTerm the member's term
/// Source: etcdserverpb.ResponseHeader.
public record ResponseHeader(long clusterId, long memberId, long revision, long raftTerm) {
  /// An answer without a header, as nested transaction answers have.
  public static final ResponseHeader NONE = new ResponseHeader(0, 0, 0, 0);

  /// Reads the wire form.
  public static ResponseHeader of(dev.etcdj.proto.etcdserverpb.ResponseHeader wire) {
    return new ResponseHeader(
        wire.getClusterId(), wire.getMemberId(), wire.getRevision(), wire.getRaftTerm());
  }
}
