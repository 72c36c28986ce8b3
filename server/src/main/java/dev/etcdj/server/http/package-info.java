/// HTTP/1.1 as the member serves it, on the client port beside gRPC and on the peer port.
///
/// Read in this order: [dev.etcdj.server.http.Route] and [dev.etcdj.server.http.Router] say what
/// serves a path, [dev.etcdj.server.http.HttpServerHandler] runs one connection;
/// [dev.etcdj.server.http.ClientPort] for gRPC, with [dev.etcdj.server.http.SmallWrites] and
/// [dev.etcdj.server.http.MessageBuffers], which spare it work per message.
///
/// Everything runs on the event loops of [dev.etcdj.server.http.EventLoops] and nothing blocks
/// there: answers are futures, streamed bodies are read on demand. One connection has one request
/// in work; header, body and idle time are bounded.
@NullMarked
package dev.etcdj.server.http;

import org.jspecify.annotations.NullMarked;
