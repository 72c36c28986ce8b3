package dev.etcdj.server.membership;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collection;
import java.util.List;

/// Ids of members and clusters: the first 8 bytes of a SHA-1 (CLUS-1..CLUS-4).
public final class MemberIds {
  private MemberIds() {}

  /// Id of a bootstrap member; the order of `peerUrls` does not matter.
  public static long member(Collection<String> peerUrls, String clusterToken) {
    String text = String.join("", peerUrls.stream().sorted().toList()) + clusterToken;
    return firstLong(text.getBytes(StandardCharsets.UTF_8));
  }

  /// Id of a cluster from its bootstrap members.
  public static long cluster(List<Long> memberIds) {
    ByteBuffer ids = ByteBuffer.allocate(memberIds.size() * Long.BYTES);
    memberIds.stream().sorted(Long::compareUnsigned).forEach(ids::putLong);
    return firstLong(ids.array());
  }

  /// An id as logs, URLs, headers and backend keys show it (CLUS-5).
  public static String hex(long id) {
    return Long.toHexString(id);
  }

  private static long firstLong(byte[] input) {
    try {
      return ByteBuffer.wrap(MessageDigest.getInstance("SHA-1").digest(input)).getLong();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JVM has SHA-1", e);
    }
  }
}
