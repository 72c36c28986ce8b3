package dev.etcdj.server.rpc;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.WireFormat;
import dev.etcdj.mvcc.RangeResult;
import dev.etcdj.mvcc.RangeView;
import dev.etcdj.mvcc.txn.OpResult;
import dev.etcdj.proto.etcdserverpb.DeleteRangeResponse;
import dev.etcdj.proto.etcdserverpb.PutResponse;
import dev.etcdj.proto.etcdserverpb.RangeResponse;
import dev.etcdj.proto.etcdserverpb.RangeStreamResponse;
import dev.etcdj.proto.etcdserverpb.ResponseOp;
import dev.etcdj.proto.etcdserverpb.TxnResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Responses of the KV service, put together from wire-form pieces. Headers are wire-form too.
/// Each knows its size from the start.
final class Replies {
  private Replies() {}

  /// A `RangeResponse`; without `header` in the chunks of a stream before the last (KV-56).
  record Range(byte @Nullable [] header, List<byte[]> kvs, boolean more, long count, int size)
      implements WireMessage {
    Range(byte @Nullable [] header, List<byte[]> kvs, boolean more, long count) {
      this(header, kvs, more, count, size(header, kvs, more, count));
    }

    Range(byte[] header, RangeResult result) {
      this(header, result.kvs(), result.more(), result.count());
    }

    private static int size(byte @Nullable [] header, List<byte[]> kvs, boolean more, long count) {
      long size = header == null ? 0 : bytesSize(RangeResponse.HEADER_FIELD_NUMBER, header);
      for (int i = 0; i < kvs.size(); i++) {
        size += bytesSize(RangeResponse.KVS_FIELD_NUMBER, kvs.get(i));
      }
      return capped(size + totalsSize(more, count));
    }

    @Override
    public int serializedSize() {
      return size;
    }

    @Override
    public void writeTo(CodedOutputStream out) throws IOException {
      if (header != null) {
        out.writeByteArray(RangeResponse.HEADER_FIELD_NUMBER, header);
      }
      for (int i = 0; i < kvs.size(); i++) {
        out.writeByteArray(RangeResponse.KVS_FIELD_NUMBER, kvs.get(i));
      }
      writeTotals(out, more, count);
    }
  }

  /// A `RangeResponse` of what is still in the store: written while `range` is open. Its size may
  /// be asked for at any time.
  record RangeInPlace(byte[] header, RangeView range, int size) implements WireMessage {
    RangeInPlace(byte[] header, RangeView range) {
      this(header, range, size(header, range));
    }

    private static int size(byte[] header, RangeView range) {
      long size = bytesSize(RangeResponse.HEADER_FIELD_NUMBER, header);
      for (int i = 0; i < range.size(); i++) {
        size += nestedSize(RangeResponse.KVS_FIELD_NUMBER, range.length(i));
      }
      return capped(size + totalsSize(range.more(), range.count()));
    }

    @Override
    public int serializedSize() {
      return size;
    }

    @Override
    public void writeTo(CodedOutputStream out) throws IOException {
      out.writeByteArray(RangeResponse.HEADER_FIELD_NUMBER, header);
      for (int i = 0; i < range.size(); i++) {
        out.writeTag(RangeResponse.KVS_FIELD_NUMBER, WireFormat.WIRETYPE_LENGTH_DELIMITED);
        out.writeUInt32NoTag(range.length(i));
        out.write(range.keyValue(i));
      }
      writeTotals(out, range.more(), range.count());
    }
  }

  private static int totalsSize(boolean more, long count) {
    return (more ? CodedOutputStream.computeBoolSize(RangeResponse.MORE_FIELD_NUMBER, true) : 0)
        + int64Size(RangeResponse.COUNT_FIELD_NUMBER, count);
  }

  private static void writeTotals(CodedOutputStream out, boolean more, long count)
      throws IOException {
    if (more) {
      out.writeBool(RangeResponse.MORE_FIELD_NUMBER, true);
    }
    writeInt64(out, RangeResponse.COUNT_FIELD_NUMBER, count);
  }

  /// The send limit of every gRPC peer (LIM-3); checked by the caller, who can answer.
  private static int capped(long size) {
    return (int) Math.min(size, Integer.MAX_VALUE);
  }

  /// A `PutResponse`.
  record Put(byte[] header, byte @Nullable [] prevKv) implements WireMessage {
    @Override
    public int serializedSize() {
      return bytesSize(PutResponse.HEADER_FIELD_NUMBER, header)
          + (prevKv == null ? 0 : bytesSize(PutResponse.PREV_KV_FIELD_NUMBER, prevKv));
    }

    @Override
    public void writeTo(CodedOutputStream out) throws IOException {
      out.writeByteArray(PutResponse.HEADER_FIELD_NUMBER, header);
      if (prevKv != null) {
        out.writeByteArray(PutResponse.PREV_KV_FIELD_NUMBER, prevKv);
      }
    }
  }

  /// A `DeleteRangeResponse`.
  record Delete(byte[] header, long deleted, List<byte[]> prevKvs, int size)
      implements WireMessage {
    Delete(byte[] header, OpResult.DeleteRange result) {
      this(header, result.deleted(), result.prevKvs(), size(header, result));
    }

    private static int size(byte[] header, OpResult.DeleteRange result) {
      int size = bytesSize(DeleteRangeResponse.HEADER_FIELD_NUMBER, header);
      size += int64Size(DeleteRangeResponse.DELETED_FIELD_NUMBER, result.deleted());
      for (byte[] kv : result.prevKvs()) {
        size += bytesSize(DeleteRangeResponse.PREV_KVS_FIELD_NUMBER, kv);
      }
      return size;
    }

    @Override
    public int serializedSize() {
      return size;
    }

    @Override
    public void writeTo(CodedOutputStream out) throws IOException {
      out.writeByteArray(DeleteRangeResponse.HEADER_FIELD_NUMBER, header);
      writeInt64(out, DeleteRangeResponse.DELETED_FIELD_NUMBER, deleted);
      for (byte[] kv : prevKvs) {
        out.writeByteArray(DeleteRangeResponse.PREV_KVS_FIELD_NUMBER, kv);
      }
    }
  }

  /// A `TxnResponse`.
  record Txn(byte[] header, boolean succeeded, List<Wrapped> responses, int size)
      implements WireMessage {
    Txn(byte[] header, OpResult.Nested result) {
      this(header, result.succeeded(), wrap(result.responses()));
    }

    private Txn(byte[] header, boolean succeeded, List<Wrapped> responses) {
      this(header, succeeded, responses, size(header, succeeded, responses));
    }

    private static List<Wrapped> wrap(List<OpResult> results) {
      List<Wrapped> responses = new ArrayList<>(results.size());
      for (OpResult result : results) {
        responses.add(
            switch (result) {
              case OpResult.Range range ->
                  new Wrapped(
                      ResponseOp.RESPONSE_RANGE_FIELD_NUMBER,
                      new Range(Headers.revisionOnly(range.result().revision()), range.result()));
              case OpResult.Put put ->
                  new Wrapped(
                      ResponseOp.RESPONSE_PUT_FIELD_NUMBER,
                      new Put(Headers.revisionOnly(put.revision()), put.prevKv()));
              case OpResult.DeleteRange delete ->
                  new Wrapped(
                      ResponseOp.RESPONSE_DELETE_RANGE_FIELD_NUMBER,
                      new Delete(Headers.revisionOnly(delete.revision()), delete));
              case OpResult.Nested nested ->
                  new Wrapped(ResponseOp.RESPONSE_TXN_FIELD_NUMBER, new Txn(Headers.EMPTY, nested));
            });
      }
      return responses;
    }

    private static int size(byte[] header, boolean succeeded, List<Wrapped> responses) {
      long size = bytesSize(TxnResponse.HEADER_FIELD_NUMBER, header);
      size += succeeded ? CodedOutputStream.computeBoolSize(2, true) : 0;
      for (Wrapped response : responses) {
        size += nestedSize(TxnResponse.RESPONSES_FIELD_NUMBER, response.serializedSize());
      }
      return capped(size);
    }

    @Override
    public int serializedSize() {
      return size;
    }

    @Override
    public void writeTo(CodedOutputStream out) throws IOException {
      out.writeByteArray(TxnResponse.HEADER_FIELD_NUMBER, header);
      if (succeeded) {
        out.writeBool(TxnResponse.SUCCEEDED_FIELD_NUMBER, true);
      }
      for (Wrapped response : responses) {
        writeNested(out, TxnResponse.RESPONSES_FIELD_NUMBER, response);
      }
    }
  }

  /// A message that holds one other message: a `ResponseOp`, a `RangeStreamResponse`.
  record Wrapped(int field, WireMessage inner) implements WireMessage {
    static Wrapped chunk(Range range) {
      return new Wrapped(RangeStreamResponse.RANGE_RESPONSE_FIELD_NUMBER, range);
    }

    @Override
    public int serializedSize() {
      return nestedSize(field, inner.serializedSize());
    }

    @Override
    public void writeTo(CodedOutputStream out) throws IOException {
      writeNested(out, field, inner);
    }
  }

  static int bytesSize(int field, byte[] bytes) {
    return nestedSize(field, bytes.length);
  }

  private static int nestedSize(int field, int length) {
    return CodedOutputStream.computeTagSize(field)
        + CodedOutputStream.computeUInt32SizeNoTag(length)
        + length;
  }

  private static void writeNested(CodedOutputStream out, int field, WireMessage message)
      throws IOException {
    out.writeTag(field, WireFormat.WIRETYPE_LENGTH_DELIMITED);
    out.writeUInt32NoTag(message.serializedSize());
    message.writeTo(out);
  }

  static int int64Size(int field, long value) {
    return value == 0 ? 0 : CodedOutputStream.computeInt64Size(field, value);
  }

  static void writeInt64(CodedOutputStream out, int field, long value) throws IOException {
    if (value != 0) {
      out.writeInt64(field, value);
    }
  }
}
