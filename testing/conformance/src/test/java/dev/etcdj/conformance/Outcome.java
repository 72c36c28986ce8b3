package dev.etcdj.conformance;

import com.google.protobuf.Message;
import io.grpc.Status;
import java.util.List;

/// What a server answered to one step.
///
/// @param text of the error, empty if there is none
/// @param answers one for a unary call, any number for a stream
record Outcome(Status.Code code, String text, List<Message> answers) {
  static Outcome of(List<? extends Message> answers) {
    return new Outcome(Status.Code.OK, "", List.copyOf(answers));
  }

  static Outcome of(Status status, List<? extends Message> before) {
    String text = status.getDescription();
    return new Outcome(status.getCode(), text == null ? "" : text, List.copyOf(before));
  }
}
