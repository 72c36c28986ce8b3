package dev.etcdj.conformance;

import com.google.protobuf.Message;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/// One request under way, and what is answered to it. On the connection's event loop.
///
/// It has no deadline of its own: whoever waits gives it up.
final class Asked<A> extends ClientCall.Listener<A> {
  private final ClientCall<?, A> call;
  private final Function<A, Message> read;
  private final Consumer<Outcome> then;
  private final List<Message> answers = new ArrayList<>(1);
  private boolean givenUp;

  private Asked(ClientCall<?, A> call, Function<A, Message> read, Consumer<Outcome> then) {
    this.call = call;
    this.read = read;
    this.then = then;
  }

  /// Sends `request`.
  ///
  /// @param read makes a message of an answer
  /// @param then what comes of it, once
  static <Q, A> Asked<A> ask(
      Channel channel,
      MethodDescriptor<Q, A> method,
      Metadata headers,
      Q request,
      Function<A, Message> read,
      Consumer<Outcome> then) {
    ClientCall<Q, A> call = channel.newCall(method, CallOptions.DEFAULT);
    Asked<A> asked = new Asked<>(call, read, then);
    call.start(asked, headers);
    call.request(Integer.MAX_VALUE);
    call.sendMessage(request);
    call.halfClose();
    return asked;
  }

  void giveUp() {
    givenUp = true;
    call.cancel("given up", null);
  }

  @Override
  public void onMessage(A answer) {
    answers.add(read.apply(answer));
  }

  @Override
  public void onClose(Status status, Metadata trailers) {
    Status end = givenUp ? Status.DEADLINE_EXCEEDED.withDescription("no answer") : status;
    then.accept(end.isOk() ? Outcome.of(answers) : Outcome.of(end, answers));
  }
}
