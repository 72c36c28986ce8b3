package dev.etcdj.conformance;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import dev.etcdj.proto.etcdserverpb.LeaseKeepAliveRequest;
import dev.etcdj.proto.etcdserverpb.WatchRequest;
import java.util.Map;

/// One line of a program. Revisions in its messages may be relative, see [Revisions].
sealed interface Step {
  /// A call with one request; its answers, or its error, are compared.
  ///
  /// @param metadata sent along
  record Call(Verb verb, Message request, Map<String, String> metadata) implements Step {}

  /// A call of any method with any bytes.
  record Raw(String method, ByteString request) implements Step {}

  /// A request on a watch stream, which is opened by the first. A create's answer is compared at
  /// once; what else comes is left to [Expect] and to the end of the program.
  ///
  /// @param metadata sent along when this opens the stream
  record Watch(String stream, WatchRequest request, Map<String, String> metadata) implements Step {}

  /// Waits for the next answers on a watch stream and compares them as they are.
  record Expect(String stream, int answers) implements Step {}

  /// A request on a lease keepalive stream, and its answer.
  record KeepAlive(String stream, LeaseKeepAliveRequest request) implements Step {}

  /// Ends the client's side of a watch or keepalive stream; the stream's end is compared if it
  /// comes.
  record HalfClose(String stream) implements Step {}

  /// Makes every watcher deliver what it has up to now, by changing something that each sees.
  record Settle() implements Step {}

  record Sleep(int millis) implements Step {}
}
