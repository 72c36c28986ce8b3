package dev.etcdj.server.propose;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.WireFormat;
import dev.etcdj.proto.etcdserverpb.InternalRaftRequest;
import dev.etcdj.proto.etcdserverpb.RequestHeader;
import java.io.IOException;
import java.io.UncheckedIOException;

/// Frames a request as a wire-form `InternalRaftRequest`. The request's own bytes are copied as
/// the client sent them: they were parsed before, so they decode to the same on every member.
final class EntryEncoder {
  private EntryEncoder() {}

  /// @param field number of the request's field in `InternalRaftRequest`
  /// @param body wire form of the request
  static byte[] encode(int field, byte[] body, long id) {
    int header =
        id == 0 ? 0 : CodedOutputStream.computeUInt64Size(RequestHeader.ID_FIELD_NUMBER, id);
    byte[] entry =
        new byte
            [CodedOutputStream.computeByteArraySize(field, body)
                + CodedOutputStream.computeTagSize(InternalRaftRequest.HEADER_FIELD_NUMBER)
                + 1
                + header];
    CodedOutputStream out = CodedOutputStream.newInstance(entry);
    try {
      // Ascending field numbers, as every other writer of entries has it.
      if (field < InternalRaftRequest.HEADER_FIELD_NUMBER) {
        out.writeByteArray(field, body);
      }
      out.writeTag(InternalRaftRequest.HEADER_FIELD_NUMBER, WireFormat.WIRETYPE_LENGTH_DELIMITED);
      out.writeUInt32NoTag(header);
      if (header != 0) {
        out.writeUInt64(RequestHeader.ID_FIELD_NUMBER, id);
      }
      if (field > InternalRaftRequest.HEADER_FIELD_NUMBER) {
        out.writeByteArray(field, body);
      }
      out.checkNoSpaceLeft();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return entry;
  }
}
