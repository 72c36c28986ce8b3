package dev.etcdj.robustness;

import com.google.protobuf.ByteString;
import dev.etcdj.proto.etcdserverpb.KVGrpc;
import dev.etcdj.proto.etcdserverpb.PutRequest;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/// Clients that put unique values under a few keys, each at a steady rate, through whatever member
/// answers. A failed put has an unknown outcome and is not tried again.
final class Writers implements AutoCloseable {
  private final ProcessCluster cluster;
  private final History history;
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean stopping;

  /// @param pauseMillis between two puts of one client
  Writers(ProcessCluster cluster, History history, int clients, long pauseMillis, long seed) {
    this.cluster = cluster;
    this.history = history;
    for (int i = 0; i < clients; i++) {
      int client = i;
      threads.add(
          Thread.ofVirtual().start(() -> write(client, pauseMillis, new Random(seed + client))));
    }
  }

  private void write(int client, long pauseMillis, Random random) {
    for (long n = 0; !stopping; n++) {
      String key = "key-" + random.nextInt(20);
      String value = "client " + client + " put " + n;
      int member = random.nextInt(cluster.size());
      try {
        if (cluster.member(member).running()) {
          long revision =
              KVGrpc.newBlockingStub(cluster.channel(member))
                  .withDeadlineAfter(3, TimeUnit.SECONDS)
                  .put(
                      PutRequest.newBuilder()
                          .setKey(ByteString.copyFromUtf8(key))
                          .setValue(ByteString.copyFromUtf8(value))
                          .build())
                  .getHeader()
                  .getRevision();
          history.acknowledged(key, value, revision);
        }
        Thread.sleep(pauseMillis);
      } catch (StatusRuntimeException unknownOutcome) {
        // The value is never written again; if it was applied all the same, the history shows it.
      } catch (InterruptedException stop) {
        return;
      }
    }
  }

  /// Ends the clients after the put in hand.
  @Override
  public void close() throws InterruptedException {
    stopping = true;
    for (Thread thread : threads) {
      thread.join();
    }
  }
}
