package dev.etcdj.server;

import dev.etcdj.server.http.Versions;
import org.jspecify.annotations.Nullable;

/// What a member tells of versions.
record MemberVersions(Member member) implements Versions {
  @Override
  public String server() {
    return Version.ETCD;
  }

  @Override
  public @Nullable String cluster() {
    return member.replica().membership().clusterVersion();
  }

  @Override
  public @Nullable String storage() {
    String version = member.clientServices().probes().storageVersion();
    return version.isEmpty() ? null : version;
  }
}
