package dev.etcdj.server.rpc;

import dev.etcdj.proto.status.RpcError;
import dev.etcdj.server.membership.Member;
import dev.etcdj.server.membership.Membership;
import dev.etcdj.server.raftnode.RaftHandle;
import io.grpc.InternalMetadata;
import io.grpc.InternalMetadata.TrustedAsciiMarshaller;
import io.grpc.Metadata;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// What every call must pass before its handler sees it (KV-20).
final class Gate {
  private static final TrustedAsciiMarshaller<byte[]> RAW =
      new TrustedAsciiMarshaller<>() {
        @Override
        public byte[] toAsciiString(byte[] value) {
          return value;
        }

        @Override
        public byte[] parseAsciiString(byte[] serialized) {
          return serialized;
        }
      };
  private static final Metadata.Key<byte[]> HAS_LEADER = InternalMetadata.keyOf("hasleader", RAW);
  private static final Metadata.Key<byte[]> API_VERSION =
      InternalMetadata.keyOf("client-api-version", RAW);
  private static final byte[] TRUE = "true".getBytes(StandardCharsets.US_ASCII);

  private final Membership membership;
  private final RaftHandle raft;

  Gate(Membership membership, RaftHandle raft) {
    this.membership = membership;
    this.raft = raft;
  }

  /// Which calls a learner serves (CLUS-80).
  enum OnLearner {
    SERVED,
    REFUSED
  }

  /// Why the call is refused, or null.
  @Nullable RpcError refusal(Metadata metadata, OnLearner onLearner) {
    if (onLearner == OnLearner.REFUSED && isLearner()) {
      return RpcError.NOT_SUPPORTED_FOR_LEARNER;
    }
    byte[] version = metadata.get(API_VERSION);
    if (version != null && !isUtf8(version)) {
      return RpcError.INVALID_CLIENT_API_VERSION;
    }
    return needsLeader(metadata) && !raft.view().hasLeader() ? RpcError.NO_LEADER : null;
  }

  /// Whether the client wants to be turned away without a leader (WATCH-100).
  static boolean needsLeader(Metadata metadata) {
    byte[] value = metadata.get(HAS_LEADER);
    return value != null && java.util.Arrays.equals(value, TRUE);
  }

  /// Whether this member is a learner.
  boolean isLearner() {
    Member self = membership.member(membership.self());
    return self != null && self.learner();
  }

  private static boolean isUtf8(byte[] bytes) {
    for (byte b : bytes) {
      if (b < 0) {
        try {
          var _ = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
          return true;
        } catch (CharacterCodingException e) {
          return false;
        }
      }
    }
    return true;
  }
}
