package dev.etcdj.client.transport;

import com.google.protobuf.MessageLite;
import dev.etcdj.proto.status.EtcdException;
import dev.etcdj.proto.status.RpcError;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Deadline;
import io.grpc.MethodDescriptor;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Sends calls with one set of [CallSettings].
/// Thread: safe.
public final class Calls {
  static final CallOptions.Key<Boolean> REQUIRE_LEADER =
      CallOptions.Key.createWithDefault("require-leader", false);

  private final Transport transport;
  private final CallSettings settings;

  Calls(Transport transport, CallSettings settings) {
    this.transport = transport;
    this.settings = settings;
  }

  /// The connections underneath.
  public Transport transport() {
    return transport;
  }

  /// The settings in force.
  public CallSettings settings() {
    return settings;
  }

  /// The same calls with other settings.
  public Calls with(CallSettings changed) {
    return new Calls(transport, changed);
  }

  /// Sends `request`, again as `retry` allows until the deadline, and converts the answer.
  ///
  /// @return completes on an event loop, exceptionally with [EtcdException]; cancelling it cancels
  ///     the call
  public <Q extends MessageLite, R, T> CompletableFuture<T> unary(
      MethodDescriptor<Q, R> method, Q request, Retry retry, Function<R, T> convert) {
    EtcdException tooLarge = checkSize(request);
    if (tooLarge != null) {
      return CompletableFuture.failedFuture(tooLarge);
    }
    UnaryCall<Q, R, T> call = new UnaryCall<>(this, method, request, retry, convert);
    call.attempt();
    return call.future();
  }

  /// Opens a stream without a deadline; the caller starts it.
  public <Q, R> ClientCall<Q, R> stream(MethodDescriptor<Q, R> method) {
    return transport.channel().newCall(method, options());
  }

  /// Opens a stream that ends when the settings' timeout does; the caller starts it.
  public <Q, R> ClientCall<Q, R> boundedStream(MethodDescriptor<Q, R> method) {
    CallOptions options = options();
    Deadline deadline = deadline();
    return transport
        .channel()
        .newCall(method, deadline == null ? options : options.withDeadline(deadline));
  }

  CallOptions options() {
    CallOptions options = CallOptions.DEFAULT.withWaitForReady();
    return settings.requireLeader() ? options.withOption(REQUIRE_LEADER, true) : options;
  }

  @Nullable Deadline deadline() {
    Duration timeout = settings.timeout();
    return timeout == null ? null : Deadline.after(timeout.toNanos(), TimeUnit.NANOSECONDS);
  }

  private @Nullable EtcdException checkSize(MessageLite request) {
    int size = request.getSerializedSize();
    int limit = transport.limits().requestBytes();
    return size <= limit
        ? null
        : new EtcdException(
            RpcError.Code.RESOURCE_EXHAUSTED,
            "trying to send message larger than max (" + size + " vs. " + limit + ")");
  }
}
