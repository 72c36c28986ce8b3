package dev.etcdj.client.maintenance;

import dev.etcdj.client.transport.ResponseHeader;
import java.util.List;

/// How a member is doing. Sizes are bytes; `leader`, indexes and terms are unsigned.
///
/// @param storageVersion of the data's layout; empty: unknown
/// @param leader id of the leader it sees; 0: none
/// @param errors what is wrong with it, such as alarms
/// @param size of the backend
/// Source: etcdserverpb.StatusResponse.
public record StatusResponse(
    ResponseHeader header,
    String version,
    String storageVersion,
    Size size,
    long leader,
    Position position,
    boolean isLearner,
    List<String> errors,
    Downgrade downgrade) {

  /// Space of the backend.
  public record Size(long db, long dbInUse, long dbQuota) {}

  /// Where it is in the log.
  public record Position(long raftTerm, long raftIndex, long appliedIndex) {}

  /// A downgrade under way.
  ///
  /// @param present whether the member told about it at all
  public record Downgrade(boolean present, boolean enabled, String targetVersion) {}

  static StatusResponse of(dev.etcdj.proto.etcdserverpb.StatusResponse wire) {
    return new StatusResponse(
        ResponseHeader.of(wire.getHeader()),
        wire.getVersion(),
        wire.getStorageVersion(),
        new Size(wire.getDbSize(), wire.getDbSizeInUse(), wire.getDbSizeQuota()),
        wire.getLeader(),
        new Position(wire.getRaftTerm(), wire.getRaftIndex(), wire.getRaftAppliedIndex()),
        wire.getIsLearner(),
        List.copyOf(wire.getErrorsList()),
        new Downgrade(
            wire.hasDowngradeInfo(),
            wire.getDowngradeInfo().getEnabled(),
            wire.getDowngradeInfo().getTargetVersion()));
  }
}
