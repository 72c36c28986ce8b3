package dev.etcdj.server.rpc;

import com.google.protobuf.CodedOutputStream;
import dev.etcdj.proto.etcdserverpb.ResponseHeader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.function.LongSupplier;

/// Makes response headers (KV-10). The two ids never change and are encoded once.
public final class Headers {
  /// An empty header that is present: nested transactions have it (KV-13).
  static final byte[] EMPTY = new byte[0];

  private final long clusterId;
  private final long memberId;
  private final LongSupplier term;
  private final byte[] ids;

  /// @param term the term to report, read anew for each header
  public Headers(long clusterId, long memberId, LongSupplier term) {
    this.clusterId = clusterId;
    this.memberId = memberId;
    this.term = term;
    this.ids =
        ResponseHeader.newBuilder()
            .setClusterId(clusterId)
            .setMemberId(memberId)
            .build()
            .toByteArray();
  }

  /// Wire form of a header.
  byte[] encode(long revision) {
    return encode(ids, revision, term.getAsLong());
  }

  /// Wire form of a header that holds a revision only (KV-13).
  static byte[] revisionOnly(long revision) {
    return encode(EMPTY, revision, 0);
  }

  private static byte[] encode(byte[] ids, long revision, long term) {
    int size = ids.length;
    if (revision != 0) {
      size += CodedOutputStream.computeInt64Size(ResponseHeader.REVISION_FIELD_NUMBER, revision);
    }
    if (term != 0) {
      size += CodedOutputStream.computeUInt64Size(ResponseHeader.RAFT_TERM_FIELD_NUMBER, term);
    }
    byte[] header = new byte[size];
    CodedOutputStream out = CodedOutputStream.newInstance(header);
    try {
      out.writeRawBytes(ids);
      if (revision != 0) {
        out.writeInt64(ResponseHeader.REVISION_FIELD_NUMBER, revision);
      }
      if (term != 0) {
        out.writeUInt64(ResponseHeader.RAFT_TERM_FIELD_NUMBER, term);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return header;
  }

  /// A header as a message; revision 0 for calls that report none (KV-14).
  public ResponseHeader message(long revision) {
    return ResponseHeader.newBuilder()
        .setClusterId(clusterId)
        .setMemberId(memberId)
        .setRevision(revision)
        .setRaftTerm(term.getAsLong())
        .build();
  }
}
