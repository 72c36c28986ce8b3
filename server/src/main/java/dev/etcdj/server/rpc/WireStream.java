package dev.etcdj.server.rpc;

import com.google.protobuf.CodedOutputStream;
import io.grpc.Drainable;
import io.grpc.KnownLength;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/// A [WireMessage] as gRPC wants to be given it: of known length, drained into the transport's
/// buffers. Reading byte by byte works but serves only transports that know no better; they do not
/// see what goes along with the message.
final class WireStream extends InputStream implements Drainable, KnownLength {
  /// Up to this, the message is written to one array first; longer ones go through a small buffer
  /// that large pieces bypass.
  private static final int WHOLE_BYTES = 4_096;

  /// gRPC makes one buffer of a message up to here; of what lies beyond, one of each piece that it
  /// is given. So longer messages are handed over in pieces that are worth one.
  private static final int ONE_BUFFER_BYTES = 1 << 20;

  private static final int PIECE_BYTES = 128 << 10;

  private final WireMessage message;
  // Null until somebody reads.
  private byte @Nullable [] bytes;
  private int position;
  private boolean drained;

  WireStream(WireMessage message) {
    this.message = message;
  }

  @Override
  public int available() {
    return drained ? 0 : message.serializedSize() - position;
  }

  @Override
  public int drainTo(OutputStream target) throws IOException {
    int size = available();
    int written = message.writtenSize();
    if (position > 0 || written <= WHOLE_BYTES) {
      target.write(bytes(), position, written - position);
    } else {
      int pieceBytes = size <= ONE_BUFFER_BYTES ? WHOLE_BYTES : PIECE_BYTES;
      CodedOutputStream out = CodedOutputStream.newInstance(target, pieceBytes);
      message.writeTo(out);
      out.flush();
    }
    drained = true;
    return size;
  }

  @Override
  public int read() throws IOException {
    return available() == 0 ? -1 : bytes()[position++] & 0xff;
  }

  @Override
  public int read(byte[] into, int offset, int length) throws IOException {
    int count = Math.min(length, available());
    if (count == 0) {
      return length == 0 ? 0 : -1;
    }
    System.arraycopy(bytes(), position, into, offset, count);
    position += count;
    return count;
  }

  private byte[] bytes() throws IOException {
    byte[] all = bytes;
    if (all == null) {
      all = new byte[message.writtenSize()];
      CodedOutputStream out = CodedOutputStream.newInstance(all);
      message.writeTo(out);
      out.checkNoSpaceLeft();
      bytes = all;
    }
    return all;
  }
}
