package dev.etcdj.etcdctl.output;

import dev.etcdj.client.cluster.Member;
import dev.etcdj.client.cluster.MemberListResponse;
import dev.etcdj.client.maintenance.StatusResponse;
import dev.etcdj.etcdctl.GoDuration;
import dev.etcdj.etcdctl.output.EndpointAnswer.HashKv;
import dev.etcdj.etcdctl.output.EndpointAnswer.Health;
import dev.etcdj.etcdctl.output.EndpointAnswer.Status;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;

/// Answers as rows of cells: the table, and the simple form without its frame.
///
/// @param titles one per column
/// @param cells one list per row
record Rows(List<String> titles, List<List<String>> cells) {
  private static final String[] UNITS = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};

  static Rows members(MemberListResponse response) {
    return new Rows(
        List.of("ID", "STATUS", "NAME", "PEER ADDRS", "CLIENT ADDRS", "IS LEARNER"),
        response.members().stream().map(Rows::member).toList());
  }

  private static List<String> member(Member member) {
    return List.of(
        Long.toHexString(member.id()),
        member.started() ? "started" : "unstarted",
        member.name(),
        String.join(",", member.peerUrls()),
        String.join(",", member.clientUrls()),
        Boolean.toString(member.isLearner()));
  }

  static Rows status(List<Status> answers) {
    return new Rows(
        List.of(
            "ENDPOINT",
            "ID",
            "VERSION",
            "STORAGE VERSION",
            "DB SIZE",
            "IN USE",
            "PERCENTAGE NOT IN USE",
            "QUOTA",
            "IS LEADER",
            "IS LEARNER",
            "RAFT TERM",
            "RAFT INDEX",
            "RAFT APPLIED INDEX",
            "ERRORS",
            "DOWNGRADE TARGET VERSION",
            "DOWNGRADE ENABLED"),
        answers.stream().map(Rows::status).toList());
  }

  private static List<String> status(Status answer) {
    StatusResponse status = answer.response();
    StatusResponse.Size size = status.size();
    return List.of(
        answer.endpoint(),
        Long.toHexString(status.header().memberId()),
        status.version(),
        status.storageVersion(),
        bytes(size.db()),
        bytes(size.dbInUse()),
        size.db() == 0 ? "0%" : 100 - size.dbInUse() * 100 / size.db() + "%",
        bytes(size.dbQuota()),
        Boolean.toString(status.leader() == status.header().memberId()),
        Boolean.toString(status.isLearner()),
        Long.toUnsignedString(status.position().raftTerm()),
        Long.toUnsignedString(status.position().raftIndex()),
        Long.toUnsignedString(status.position().appliedIndex()),
        String.join(", ", status.errors()),
        status.downgrade().targetVersion(),
        Boolean.toString(status.downgrade().enabled()));
  }

  static Rows hashKv(List<HashKv> answers) {
    return new Rows(
        List.of("ENDPOINT", "HASH", "HASH REVISION"),
        answers.stream()
            .map(
                answer ->
                    List.of(
                        answer.endpoint(),
                        Long.toString(answer.response().hash()),
                        Long.toString(answer.response().hashRevision())))
            .toList());
  }

  static Rows health(List<Health> answers) {
    return new Rows(
        List.of("ENDPOINT", "HEALTH", "TOOK", "ERROR"),
        answers.stream()
            .map(
                answer ->
                    List.of(
                        answer.endpoint(),
                        Boolean.toString(answer.healthy()),
                        GoDuration.format(answer.took()),
                        answer.error()))
            .toList());
  }

  /// A size in decimal units: one decimal below ten, none from there on.
  static String bytes(long size) {
    if (size < 10) {
      return size + " B";
    }
    int unit = 0;
    BigDecimal value = BigDecimal.valueOf(size);
    BigDecimal thousand = BigDecimal.valueOf(1000);
    while (value.compareTo(thousand) >= 0) {
      value = value.divide(thousand);
      unit++;
    }
    BigDecimal tenths = value.setScale(1, RoundingMode.HALF_UP);
    int decimals = tenths.compareTo(BigDecimal.TEN) < 0 ? 1 : 0;
    return tenths.setScale(decimals, RoundingMode.HALF_EVEN).toPlainString() + " " + UNITS[unit];
  }
}
