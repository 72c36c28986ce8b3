package dev.etcdj.mvcc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.protobuf.ByteString;
import dev.etcdj.mvcc.backend.Bucket;
import dev.etcdj.mvcc.backend.WriteUnit;
import dev.etcdj.mvcc.schema.RevisionKey;
import dev.etcdj.proto.status.EtcdException;
import dev.etcdj.proto.status.RpcError;
import org.junit.jupiter.api.Test;

/// Guarantee: while another store takes a closed one's place in the same backend (RAFT-155), a
/// reader of the old one gets the old contents or an error that clients retry, never an answer
/// made of half the rows; and its compaction touches nothing any more.
class KvStoreCloseTest {
  private static final RangeQuery EVERYTHING =
      RangeQuery.of(ByteString.copyFromUtf8("a"), ByteString.copyFrom(new byte[1]));

  private final StoreFixture fixture = new StoreFixture();

  private void removeRow(long main) {
    WriteUnit unit = fixture.backend.begin();
    unit.delete(Bucket.KEY, RevisionKey.encode(main, 0, false));
    unit.publish();
  }

  @Test
  void aReaderThatFindsRowsGoneIsRefused() {
    fixture.put("a", "1");
    fixture.put("b", "2");
    fixture.store.close();
    assertEquals(2, fixture.store.range(EVERYTHING).count());
    removeRow(2);
    EtcdException refused =
        assertThrows(EtcdException.class, () -> fixture.store.range(EVERYTHING));
    assertEquals(RpcError.LEADER_CHANGED.text(), refused.text());
    assertThrows(EtcdException.class, () -> fixture.store.hash(0));
  }

  @Test
  void missingRowsOfAnOpenStoreAreOurBug() {
    fixture.put("a", "1");
    removeRow(2);
    assertThrows(InvariantViolation.class, () -> fixture.store.range(EVERYTHING));
  }

  @Test
  void compactionEndsWithTheStore() {
    fixture.put("a", "1");
    fixture.put("a", "2");
    WriteTxn write = fixture.store.beginWrite();
    var _ = fixture.store.compact(3, write.unit());
    write.commit();
    fixture.store.close();
    fixture.nanos += 1_000_000_000L;
    assertFalse(fixture.store.doWork());
    assertEquals(Long.MAX_VALUE, fixture.store.nanosUntilDue());
  }
}
