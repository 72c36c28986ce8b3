package dev.etcdj.server.rpc;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.MessageLite;
import java.io.IOException;

/// A response that can write itself in wire form. Lets responses be put together from stored
/// bytes without parsing them.
public interface WireMessage {
  /// Length of the wire form in bytes; cheap to ask again.
  int serializedSize();

  /// Bytes that [#writeTo] writes: more than the message's own when others go along with it.
  default int writtenSize() {
    return serializedSize();
  }

  /// Writes the wire form.
  void writeTo(CodedOutputStream out) throws IOException;

  /// A generated message as it is.
  static WireMessage of(MessageLite message) {
    return new Generated(message);
  }

  /// See [#of].
  record Generated(MessageLite message) implements WireMessage {
    @Override
    public int serializedSize() {
      return message.getSerializedSize();
    }

    @Override
    public void writeTo(CodedOutputStream out) throws IOException {
      message.writeTo(out);
    }
  }
}
