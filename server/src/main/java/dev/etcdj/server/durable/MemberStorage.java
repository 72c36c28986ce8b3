package dev.etcdj.server.durable;

import dev.etcdj.mvcc.backend.Backend;
import dev.etcdj.mvcc.backend.BackendOptions;
import dev.etcdj.mvcc.backend.Bucket;
import dev.etcdj.mvcc.backend.LmdbBackend;
import dev.etcdj.mvcc.backend.LmdbOptions;
import dev.etcdj.mvcc.backend.ReadView;
import dev.etcdj.mvcc.schema.Meta;
import dev.etcdj.server.config.ServerConfig;
import dev.etcdj.server.membership.ClusterMembership;
import dev.etcdj.server.membership.Member;
import dev.etcdj.server.membership.MemberIds;
import dev.etcdj.server.membership.MemberJson;
import dev.etcdj.wal.StorageException;
import dev.etcdj.wal.Wal;
import dev.etcdj.wal.WalConfig;
import dev.etcdj.wal.WalMetadata;
import dev.etcdj.wal.WalRecovery;
import dev.etcdj.wal.io.FileStore;
import dev.etcdj.wal.io.RealFileStore;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The store and the log of a member, opened and found to belong together.
///
/// @param install takes over what leaders send
/// @param bootstrap the members to write into an empty log; null when the log says who they are,
///     or will learn it from a leader
public record MemberStorage(
    Backend backend, MemberLog log, SnapshotInstall install, @Nullable InitialCluster bootstrap) {

  /// Asks the members that may be running already.
  public interface Joining {
    /// Who this member is in a running cluster (CLUS-14).
    ///
    /// @throws StartException when no listed peer tells, or what they tell does not fit
    InitialCluster join(ServerConfig config) throws StartException;

    /// @throws StartException when the cluster knows this member as one that has run (CLUS-12)
    void requireNew(ServerConfig config, InitialCluster cluster) throws StartException;
  }

  /// @throws StartException with one line for the operator
  public static MemberStorage open(
      ServerConfig config, BackendOptions backendOptions, Joining joining) throws StartException {
    DataDir dir = new DataDir(config.dataDir());
    dir.requireFolder();
    FileStore files = new RealFileStore();
    WalConfig walConfig = new WalConfig(config.walSegmentBytes(), config.unsafeNoFsync());
    try {
      boolean known = Wal.exists(files, dir.wal());
      InitialCluster cluster = known ? null : initialCluster(config, joining);
      dir.prepare();
      Backend backend = LmdbBackend.open(dir.snap(), LmdbOptions.DEFAULT, backendOptions);
      SnapshotInstall install = new SnapshotInstall(backend, new SnapshotFiles(dir), () -> {});
      try {
        return open(config, cluster, files, walConfig, backend, install);
      } catch (StartException | RuntimeException e) {
        backend.close();
        throw e;
      }
    } catch (StorageException | dev.etcdj.mvcc.StorageException e) {
      throw new StartException(String.valueOf(e.getMessage()), e);
    }
  }

  /// The same over a store that is open already, on whatever disk.
  ///
  /// @param cluster whom a new log is made for; null when there is a log
  /// @throws StartException with one line for the operator
  public static MemberStorage open(
      ServerConfig config,
      @Nullable InitialCluster cluster,
      FileStore files,
      WalConfig walConfig,
      Backend backend,
      SnapshotInstall install)
      throws StartException {
    DataDir dir = new DataDir(config.dataDir());
    MemberLog log =
        cluster == null
            ? recover(files, dir, walConfig, backend, install)
            : create(files, dir, walConfig, backend, cluster);
    return new MemberStorage(backend, log, install, bootstrap(config, log, cluster));
  }

  private static InitialCluster initialCluster(ServerConfig config, Joining joining)
      throws StartException {
    return switch (config.initialClusterState()) {
      case NEW -> {
        InitialCluster cluster = InitialCluster.of(config);
        joining.requireNew(config, cluster);
        yield cluster;
      }
      case EXISTING -> joining.join(config);
    };
  }

  /// A log may have been made and nothing written to it before a crash; then bootstrapping begins
  /// again, with the same ids.
  private static @Nullable InitialCluster bootstrap(
      ServerConfig config, MemberLog log, @Nullable InitialCluster cluster) throws StartException {
    if (!log.empty() || config.initialClusterState() == ServerConfig.ClusterState.EXISTING) {
      return null;
    }
    InitialCluster again = cluster == null ? InitialCluster.of(config) : cluster;
    if (again.clusterId() != log.metadata().clusterId()
        || again.self() != log.metadata().nodeId()) {
      throw new StartException(
          "the data directory was made for member %s of cluster %s, --initial-cluster makes this member %s of cluster %s"
              .formatted(
                  MemberIds.hex(log.metadata().nodeId()),
                  MemberIds.hex(log.metadata().clusterId()),
                  MemberIds.hex(again.self()),
                  MemberIds.hex(again.clusterId())));
    }
    return again;
  }

  private static MemberLog create(
      FileStore files, DataDir dir, WalConfig walConfig, Backend backend, InitialCluster cluster)
      throws StartException {
    try (ReadView view = backend.read()) {
      if (Meta.consistentIndex(view) > 0) {
        throw new StartException(
            "%s holds data but %s holds no log".formatted(dir.db(), dir.wal()));
      }
    }
    WalMetadata metadata = new WalMetadata(cluster.self(), cluster.clusterId());
    return MemberLog.fresh(Wal.create(files, dir.wal(), metadata, walConfig), metadata);
  }

  private static MemberLog recover(
      FileStore files, DataDir dir, WalConfig walConfig, Backend backend, SnapshotInstall install)
      throws StartException {
    WalRecovery recovery = Wal.open(files, dir.wal(), walConfig, Long.MAX_VALUE);
    try {
      install.finish(recovery.snapshot().index());
      List<Member> members = members(backend);
      requireSameMember(recovery.metadata(), members, dir);
      try (ReadView view = backend.read()) {
        return MemberLog.recovered(
            recovery, Meta.consistentIndex(view), ClusterMembership.confState(members));
      }
    } catch (StartException | RuntimeException e) {
      recovery.wal().close();
      throw e;
    }
  }

  /// Log and store of different members can come together by a copied or mixed-up directory.
  private static void requireSameMember(WalMetadata metadata, List<Member> members, DataDir dir)
      throws StartException {
    if (!members.isEmpty() && members.stream().noneMatch(m -> m.id() == metadata.nodeId())) {
      throw new StartException(
          "%s was written by member %s, which the store beside it does not know: it is the data of another cluster"
              .formatted(dir.wal(), MemberIds.hex(metadata.nodeId())));
    }
  }

  private static List<Member> members(Backend backend) {
    List<Member> members = new ArrayList<>();
    try (ReadView view = backend.read()) {
      view.scan(
          Bucket.MEMBERS, new byte[0], null, (_, value) -> members.add(MemberJson.decode(value)));
    }
    return members;
  }
}
