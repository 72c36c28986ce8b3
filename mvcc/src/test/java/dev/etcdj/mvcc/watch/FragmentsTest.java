package dev.etcdj.mvcc.watch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.etcdj.proto.etcdserverpb.ResponseHeader;
import dev.etcdj.proto.etcdserverpb.WatchResponse;
import dev.etcdj.proto.mvccpb.Event;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// Large responses fall into parts by their encoded size, compared with protobuf's own.
class FragmentsTest {
  private static List<byte[]> events(int... lengths) {
    List<byte[]> events = new ArrayList<>();
    for (int length : lengths) {
      byte[] kv = new byte[length];
      events.add(
          Event.newBuilder()
              .setKv(
                  dev.etcdj.proto.mvccpb.KeyValue.newBuilder()
                      .setKey(com.google.protobuf.ByteString.copyFrom(kv)))
              .build()
              .toByteArray());
    }
    return events;
  }

  private static long realBytes(WatchMessage.Events m) throws InvalidProtocolBufferException {
    var response =
        WatchResponse.newBuilder()
            .setHeader(
                ResponseHeader.newBuilder()
                    .setClusterId(-1)
                    .setMemberId(-1)
                    .setRaftTerm(1 << 30)
                    .setRevision(m.revision()))
            .setWatchId(m.watchId())
            .setFragment(m.fragment());
    for (byte[] event : m.events()) {
      response.addEvents(Event.parseFrom(event));
    }
    return response.build().getSerializedSize();
  }

  private static List<WatchMessage.Events> parts(int max, WatchMessage.Events whole) {
    Fragments fragments = new Fragments(max);
    List<WatchMessage.Events> parts = new ArrayList<>();
    parts.add(fragments.split(whole));
    for (var m = fragments.next(); m != null; m = fragments.next()) {
      parts.add((WatchMessage.Events) m);
    }
    return parts;
  }

  @Test
  void aResponseEqualToTheLimitIsSplitOneBelowIsNot() throws Exception { // WATCH-90, 91
    var whole = new WatchMessage.Events(3, 70, events(200, 200, 200), false);
    int bytes = (int) Fragments.encodedBytes(whole);
    assertEquals(realBytes(whole), bytes);
    assertSame(whole, parts(bytes + 1, whole).get(0));
    assertEquals(2, parts(bytes, whole).size());
  }

  @Test
  void oneEventIsNeverSplit() { // WATCH-91
    var whole = new WatchMessage.Events(3, 70, events(500), false);
    assertSame(whole, parts(10, whole).get(0));
  }

  @Test
  void partsHaveAllEventsInOrderBelowTheLimitAndOnlyTheLastEnds() throws Exception { // WATCH-90
    Random random = new Random(5);
    for (int round = 0; round < 500; round++) {
      int[] lengths = new int[1 + random.nextInt(30)];
      for (int i = 0; i < lengths.length; i++) {
        lengths[i] = 1 + random.nextInt(random.nextInt(9) == 0 ? 900 : 150);
      }
      var whole = new WatchMessage.Events(random.nextInt(3) - 1, round + 1, events(lengths), false);
      List<byte[]> joined = new ArrayList<>();
      List<WatchMessage.Events> parts = parts(600, whole);
      for (WatchMessage.Events part : parts) {
        assertEquals(whole.watchId(), part.watchId());
        assertEquals(whole.revision(), part.revision());
        assertEquals(part != parts.getLast(), part.fragment());
        assertTrue(part.events().size() == 1 || realBytes(part) < 600);
        joined.addAll(part.events());
      }
      assertEquals(whole.events(), joined);
    }
  }
}
