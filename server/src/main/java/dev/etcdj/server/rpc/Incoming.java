package dev.etcdj.server.rpc;

import com.google.protobuf.MessageLite;
import org.jspecify.annotations.Nullable;

/// A request as it came: parsed, and the bytes it was parsed from, which its keys and values
/// alias. `message` is null when the bytes are no such message; then `error` says why.
record Incoming<Q extends MessageLite>(@Nullable Q message, byte[] bytes, @Nullable String error) {}
