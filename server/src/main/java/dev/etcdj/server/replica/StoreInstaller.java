package dev.etcdj.server.replica;

import dev.etcdj.mvcc.KvStore;
import dev.etcdj.mvcc.backend.ReadView;
import dev.etcdj.mvcc.watch.WatchHub;
import dev.etcdj.raft.log.Snapshot;
import dev.etcdj.server.apply.SnapshotInstaller;
import dev.etcdj.server.apply.Stores;
import dev.etcdj.server.durable.SnapshotInstall;
import dev.etcdj.server.membership.ClusterMembership;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Puts a leader's snapshot in force, in etcd's order (RAFT-155): leases, keys, watchers, alarms,
/// members.
record StoreInstaller(
    SnapshotInstall replacement,
    Supplier<KvStore> openKv,
    Stores stores,
    ClusterMembership membership,
    WatchHub watches)
    implements SnapshotInstaller {
  private static final Logger LOG = LoggerFactory.getLogger(StoreInstaller.class);

  @Override
  public void install(Snapshot snapshot) {
    LOG.atInfo()
        .addKeyValue("incoming-leader-snapshot-index", snapshot.index())
        .addKeyValue("incoming-leader-snapshot-term", snapshot.term())
        .log("applying snapshot");
    watches.replaceStore(() -> replace(snapshot));
    membership.reload(stores.backend());
    LOG.atInfo()
        .addKeyValue("incoming-leader-snapshot-index", snapshot.index())
        .addKeyValue("revision", stores.kv().revision())
        .log("applied snapshot");
  }

  private KvStore replace(Snapshot snapshot) {
    stores.kv().close();
    replacement.install(snapshot.index());
    try (ReadView view = stores.backend().read()) {
      stores.lessor().load(view);
      stores.alarms().load(view);
    }
    KvStore kv = openKv.get();
    stores.replace(kv, stores.backend());
    return kv;
  }
}
