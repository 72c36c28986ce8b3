package dev.etcdj.mvcc.schema;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.etcdj.proto.etcdserverpb.AlarmMember;
import java.util.HexFormat;

/// Keys of the small buckets, byte for byte etcd's. Names of users and roles are in [NamedRows].
public final class RowKeys {
  private static final byte[] AUTH_ENABLED = "authEnabled".getBytes(US_ASCII);
  private static final byte[] AUTH_REVISION = "authRevision".getBytes(US_ASCII);
  private static final byte[] CLUSTER_VERSION = "clusterVersion".getBytes(US_ASCII);
  private static final byte[] DOWNGRADE = "downgrade".getBytes(US_ASCII);

  private RowKeys() {}

  /// In [Bucket#AUTH]: one byte, 1 or 0; absent means off. Read only.
  public static byte[] authEnabled() {
    return AUTH_ENABLED;
  }

  /// In [Bucket#AUTH]: 8 bytes big-endian. Read only.
  public static byte[] authRevision() {
    return AUTH_REVISION;
  }

  /// In [Bucket#CLUSTER]: text. Read only.
  public static byte[] clusterVersion() {
    return CLUSTER_VERSION;
  }

  /// In [Bucket#CLUSTER]: JSON. Read only.
  public static byte[] downgrade() {
    return DOWNGRADE;
  }

  /// In [Bucket#LEASE]: the id, 8 bytes big-endian; the value is a `leasepb.Lease`.
  public static byte[] lease(long id) {
    return Longs.bytes(id);
  }

  /// Id of a lease's key.
  public static long leaseId(byte[] key) {
    return Longs.read(key, 0);
  }

  /// In [Bucket#ALARM], without a value.
  public static byte[] alarm(AlarmMember alarm) {
    return alarm.toByteArray();
  }

  /// Alarm of a key.
  ///
  /// @throws IllegalArgumentException when the key is none
  public static AlarmMember alarm(byte[] key) {
    try {
      return AlarmMember.parseFrom(key);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalArgumentException("no alarm: " + HexFormat.of().formatHex(key), e);
    }
  }

  /// In [Bucket#MEMBERS] and [Bucket#MEMBERS_REMOVED]: hexadecimal without leading zeros.
  public static byte[] member(long id) {
    return Long.toHexString(id).getBytes(US_ASCII);
  }

  /// Id of a member's key.
  ///
  /// @throws NumberFormatException when the key is none
  public static long memberId(byte[] key) {
    return Long.parseUnsignedLong(new String(key, US_ASCII), 16);
  }
}
