package dev.etcdj.server.membership;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/// CLUS-1..CLUS-5, and the JSON of members.
class MemberIdsTest {
  /// CLUS-4: the check value seen on a real cluster.
  @Test
  void checkValue() {
    long member = MemberIds.member(List.of("http://127.0.0.1:32380"), "etcd-cluster");
    assertEquals(443629905751424238L, member);
    assertEquals("13455796455940752355", Long.toUnsignedString(MemberIds.cluster(List.of(member))));
  }

  @Test
  void orderOfUrlsDoesNotMatter() {
    assertEquals(
        MemberIds.member(List.of("http://b:1", "http://a:1"), "t"),
        MemberIds.member(List.of("http://a:1", "http://b:1"), "t"));
  }

  @Test
  void jsonIsEtcds() {
    Member member = new Member(-1, "m<1>", List.of("http://a:1"), List.of(), false);
    byte[] json = MemberJson.encode(member);
    assertEquals(
        "{\"id\":18446744073709551615,\"peerURLs\":[\"http://a:1\"],\"name\":\"m<1>\"}",
        new String(json, StandardCharsets.UTF_8));
    assertEquals(member, MemberJson.decode(json));
    Member full = new Member(7, "n", List.of("http://a:1"), List.of("http://c:1"), true);
    assertEquals(full, MemberJson.decode(MemberJson.encode(full)));
    assertEquals(
        List.of(full, member), MemberJson.decodeList(MemberJson.encode(List.of(full, member))));
  }

  @Test
  void promotionSaysOnlyThat() {
    byte[] json =
        MemberJson.encodeContext(
            new MemberJson.Context(new Member(5, "", List.of(), List.of(), false), true));
    assertEquals(
        "{\"id\":5,\"peerURLs\":null,\"isPromote\":true}",
        new String(json, StandardCharsets.UTF_8));
    assertEquals(true, MemberJson.decodeContext(json).promote());
  }
}
