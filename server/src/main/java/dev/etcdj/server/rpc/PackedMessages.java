package dev.etcdj.server.rpc;

import com.google.protobuf.CodedOutputStream;
import dev.etcdj.server.http.MessageBuffers;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// Short messages of one stream that go out in one write. Each message that is sent for itself
/// costs a buffer, a frame, a promise and a turn of flow control: for the event that a thousand
/// watchers wait for, three quarters of its price.
///
/// gRPC sees the first message and puts its prefix before it; the others write theirs themselves,
/// into the same buffer, for which [MessageBuffers] makes room.
public final class PackedMessages implements WireMessage {
  /// With all prefixes.
  static final int MAX_BYTES = 4_096;

  /// Of each message: whether it is compressed, and its length (gRPC over HTTP/2).
  private static final int PREFIX_BYTES = 5;

  /// Told of the messages that gRPC does not see.
  public interface Meter {
    /// @param bytes of these messages without their prefixes
    void sentAlong(int messages, long bytes);
  }

  private final WireMessage first;
  private final List<WireMessage> others = new ArrayList<>();
  private int bytes;

  PackedMessages(WireMessage first) {
    this.first = first;
    this.bytes = first.serializedSize();
  }

  /// Takes one more message if there is room for it.
  boolean add(WireMessage message) {
    int with = bytes + PREFIX_BYTES + message.serializedSize();
    if (PREFIX_BYTES + with > MAX_BYTES) {
      return false;
    }
    others.add(message);
    bytes = with;
    return true;
  }

  /// Prepares the current thread for sending this, and reports what gRPC will not see.
  void prepare(Meter meter) {
    int count = others.size();
    if (count > 0) {
      MessageBuffers.makeRoom(PREFIX_BYTES + bytes);
      meter.sentAlong(count, (long) bytes - first.serializedSize() - (long) PREFIX_BYTES * count);
    }
  }

  @Override
  public int serializedSize() {
    return first.serializedSize();
  }

  @Override
  public int writtenSize() {
    return bytes;
  }

  @Override
  public void writeTo(CodedOutputStream out) throws IOException {
    first.writeTo(out);
    for (int i = 0; i < others.size(); i++) {
      WireMessage message = others.get(i);
      out.writeRawByte(0);
      // Big-endian, unlike everything inside a message.
      out.writeFixed32NoTag(Integer.reverseBytes(message.serializedSize()));
      message.writeTo(out);
    }
  }
}
