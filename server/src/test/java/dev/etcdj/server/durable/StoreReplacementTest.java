package dev.etcdj.server.durable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.etcdj.mvcc.KvStore;
import dev.etcdj.mvcc.LeaseBook;
import dev.etcdj.mvcc.WriteTxn;
import dev.etcdj.mvcc.backend.Backend;
import dev.etcdj.mvcc.backend.BackendOptions;
import dev.etcdj.mvcc.backend.MemoryBackend;
import dev.etcdj.mvcc.backend.ReadView;
import dev.etcdj.mvcc.backend.WriteUnit;
import dev.etcdj.mvcc.bbolt.BboltReader;
import dev.etcdj.mvcc.schema.Meta;
import dev.etcdj.mvcc.txn.Op;
import dev.etcdj.raft.log.Bytes;
import dev.etcdj.raft.log.ConfState;
import dev.etcdj.raft.log.Snapshot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Guarantee: after a leader's snapshot was taken over, the store equals the leader's; cut off
/// anywhere, it either still is what it was before, or says that nothing is applied, so that the
/// take-over is run again at the next start (RAFT-156).
///
/// Method: a real snapshot file of one store is put into another, over the in-memory backend, which
/// is crashed after each of its commits in turn.
class StoreReplacementTest {
  private static final int KEYS = 3_000;

  @TempDir Path folder;
  private Path file;
  private int leaderHash;

  private static final class Cut extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  private static final class NoLeases implements LeaseBook {
    @Override
    public boolean exists(long lease) {
      return false;
    }

    @Override
    public void attach(ByteString key, long lease) {}

    @Override
    public long leaseOf(ByteString key) {
      return 0;
    }
  }

  private static BackendOptions options() {
    return BackendOptions.of(() -> 0, () -> {});
  }

  private static KvStore open(Backend backend) {
    return KvStore.open(
        backend, new NoLeases(), (_, _) -> {}, new KvStore.Options(1_000, 0, () -> 0, () -> {}));
  }

  private static void fill(MemoryBackend backend, String prefix, int keys, long appliedIndex) {
    KvStore store = open(backend);
    for (int i = 0; i < keys; i++) {
      WriteTxn write = store.beginWrite();
      write.put(
          new Op.Put(
              ByteString.copyFromUtf8(prefix + i % 100),
              ByteString.copyFromUtf8("value " + i),
              0,
              false,
              false,
              false));
      write.commit();
      backend.doWork();
    }
    WriteUnit unit = backend.begin();
    Meta.putApplied(unit, appliedIndex, 1);
    unit.publish();
    var done = backend.commit();
    backend.doWork();
    done.join();
  }

  private static long applied(Backend backend) {
    try (ReadView view = backend.read()) {
      return Meta.consistentIndex(view);
    }
  }

  @BeforeEach
  void writeTheLeadersSnapshot() throws IOException {
    MemoryBackend leader = new MemoryBackend(options());
    fill(leader, "leader-", KEYS, 5_000);
    leaderHash = open(leader).hash(0).hash();
    Files.createDirectories(new DataDir(folder).snap());
    try (var snapshot =
        StoreSnapshot.write(
            new DataDir(folder),
            new Snapshot(5_000, 1, ConfState.EMPTY, Bytes.EMPTY),
            leader.read())) {
      file = folder.resolve("copy");
      try (var out = Files.newOutputStream(file)) {
        snapshot.writeTo(out);
      }
      assertEquals(Files.size(file), snapshot.bytes());
    }
  }

  @Test
  void theStoreEqualsTheLeaders() {
    MemoryBackend follower = new MemoryBackend(options());
    fill(follower, "mine-", 2_500, 40);
    try (var reader = new SnapshotFiles.FileContents(BboltReader.open(file))) {
      new StoreReplacement(follower, reader, follower::doWork).run();
    }
    MemoryBackend after = follower.crash(options(), null);
    assertEquals(5_000, applied(after));
    assertEquals(leaderHash, open(after).hash(0).hash());
    assertEquals(KEYS + 1, open(after).revision());
  }

  @Test
  void cutOffAnywhereItIsRunAgain() {
    int cuts = 0;
    for (int steps = 0; ; steps++) {
      MemoryBackend follower = new MemoryBackend(options());
      fill(follower, "mine-", 2_500, 40);
      int[] left = {steps};
      boolean whole = true;
      try (var reader = new SnapshotFiles.FileContents(BboltReader.open(file))) {
        new StoreReplacement(
                follower,
                reader,
                () -> {
                  if (left[0]-- == 0) {
                    throw new Cut();
                  }
                  follower.doWork();
                })
            .run();
      } catch (Cut cut) {
        whole = false;
      }
      MemoryBackend after = follower.crash(options(), new Random(steps));
      long index = applied(after);
      assertTrue(index == 0 || index == 40 || index == 5_000, "index " + index);
      if (index == 5_000) {
        assertEquals(leaderHash, open(after).hash(0).hash());
      }
      if (index == 40) {
        assertEquals(2_501, open(after).revision());
      }
      if (whole) {
        break;
      }
      cuts++;
    }
    assertTrue(cuts > 5, "only " + cuts + " places to cut at");
  }
}
