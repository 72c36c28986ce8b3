package dev.etcdj.client.kv;

import dev.etcdj.client.transport.ResponseHeader;

/// What an [Op] answers.
public sealed interface OpResponse permits GetResponse, PutResponse, DeleteResponse, TxnResponse {
  /// The header; inside a transaction only its revision is set.
  ResponseHeader header();
}
