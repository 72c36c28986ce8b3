package dev.etcdj.server.rpc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.etcdj.mvcc.KvStore;
import dev.etcdj.mvcc.LeaseBook;
import dev.etcdj.mvcc.RangeQuery;
import dev.etcdj.mvcc.RangeQuery.SortOrder;
import dev.etcdj.mvcc.RangeQuery.SortTarget;
import dev.etcdj.mvcc.RangeView;
import dev.etcdj.mvcc.WriteTxn;
import dev.etcdj.mvcc.backend.BackendOptions;
import dev.etcdj.mvcc.backend.Bucket;
import dev.etcdj.mvcc.backend.LmdbBackend;
import dev.etcdj.mvcc.backend.LmdbOptions;
import dev.etcdj.mvcc.backend.WriteUnit;
import dev.etcdj.mvcc.schema.RevisionKey;
import dev.etcdj.mvcc.txn.Op;
import dev.etcdj.proto.etcdserverpb.RangeRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Guarantees that a reply written from the store's file is, byte for byte, the one made of copies,
/// for replies of one transport buffer and of many; also when another store takes over the file
/// between reading and writing, and that a client that went away leaves nothing open. The real
/// file, with room for few readers.
class RangeInPlaceTest {
  private static final int MAX_READERS = 6;
  private static final byte[] HEADER = {8, 1};
  private static final ByteString ALL = ByteString.copyFrom(new byte[1]);

  @TempDir Path directory;
  private LmdbBackend backend;
  private KvStore store;

  @BeforeEach
  void open() {
    backend =
        LmdbBackend.open(
            directory,
            new LmdbOptions(1L << 30, MAX_READERS),
            BackendOptions.of(() -> 0, () -> {}));
    LeaseBook noLeases =
        new LeaseBook() {
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
        };
    store =
        KvStore.open(
            backend,
            noLeases,
            (_, _) -> {},
            new KvStore.Options(100, 1_000_000, () -> 0, () -> {}));
  }

  @AfterEach
  void close() {
    backend.close();
  }

  private void put(int keys, int mostBytes, Random random) {
    for (int i = 0; i < keys; i++) {
      byte[] value = new byte[random.nextInt(mostBytes)];
      random.nextBytes(value);
      WriteTxn write = store.beginWrite();
      var _ =
          write.put(
              new Op.Put(
                  ByteString.copyFromUtf8("key" + random.nextInt(keys)),
                  ByteString.copyFrom(value),
                  0,
                  false,
                  false,
                  false));
      var _ = write.commit();
    }
  }

  private void sync() {
    var done = backend.commit();
    while (!done.isDone()) {
      backend.doWork();
    }
  }

  private static RangeQuery query(long limit) {
    return new RangeQuery(
        ALL, ALL, 0, limit, SortOrder.NONE, SortTarget.KEY, false, false, 0, 0, 0, 0);
  }

  private byte[] copied(RangeQuery query) {
    return drain(new Replies.Range(HEADER, store.range(query)));
  }

  private static byte[] drain(WireMessage message) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (WireStream stream = new WireStream(message)) {
      assertEquals(message.serializedSize(), stream.available());
      assertEquals(message.serializedSize(), stream.drainTo(out));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    assertEquals(message.serializedSize(), out.size());
    return out.toByteArray();
  }

  @Test
  void bytesAreThoseOfTheCopyingReply() throws IOException {
    Random random = new Random(3);
    put(900, 20_000, random);
    sync();
    put(100, 10_000, random);
    put(3, 1_000_000, random);
    for (int limit : new int[] {0, 1, 3, 50, 299}) {
      byte[] expected = copied(query(limit));
      try (RangeView range = store.openRange(query(limit))) {
        assertArrayEquals(expected, drain(new Replies.RangeInPlace(HEADER, range)));
        try (WireStream stream = new WireStream(new Replies.RangeInPlace(HEADER, range))) {
          assertArrayEquals(expected, stream.readAllBytes());
        }
      }
    }
    assertTrue(copied(query(0)).length > 2 << 20, "many transport buffers");
  }

  @Test
  void anotherStoreTakesOverBetweenReadingAndWriting() {
    put(200, 20_000, new Random(4));
    sync();
    long revision = store.revision();
    byte[] expected = copied(query(0));
    try (RangeView range = store.openRange(query(0))) {
      store.close();
      for (int round = 0; round < 5; round++) {
        WriteUnit unit = backend.begin();
        for (long main = 2; main <= revision; main++) {
          unit.put(Bucket.KEY, RevisionKey.encode(main, 0, false), new byte[9_000]);
        }
        unit.publish();
        sync();
      }
      assertArrayEquals(expected, drain(new Replies.RangeInPlace(HEADER, range)));
    }
  }

  /// More reads than the file has room for readers, each ended by its client at another moment.
  @Test
  void clientsThatGoAwayLeaveNothingOpen() {
    put(50, 1_000, new Random(5));
    sync();
    Queue<Runnable> tasks = new ArrayDeque<>();
    BigReads reads = new BigReads(new BigReads.Limits(10, 1), tasks::add);
    for (int i = 0; i < 20 * MAX_READERS; i++) {
      boolean cancelsWhileRead = i % 2 == 0;
      List<WireMessage> sent = new ArrayList<>();
      UnaryCall<RangeRequest> call = new UnaryCall<>((_, _) -> {}, new RecordingCall(1, sent));
      AtomicReference<RangeView> opened = new AtomicReference<>();
      reads.submit(
          call,
          send -> {
            try (RangeView range = store.openRange(query(0))) {
              opened.set(range);
              if (cancelsWhileRead) {
                call.onCancel();
              }
              send.accept(new Replies.RangeInPlace(HEADER, range));
            }
          });
      while (!tasks.isEmpty()) {
        tasks.remove().run();
      }
      assertFalse(isReadable(opened.get()), "open when its answer was on its way");
      assertEquals(cancelsWhileRead ? 0 : 1, sent.size());
      call.onCancel();
    }
  }

  private static boolean isReadable(RangeView range) {
    try {
      return range.keyValue(0).hasRemaining();
    } catch (IllegalStateException closed) {
      return false;
    }
  }
}
