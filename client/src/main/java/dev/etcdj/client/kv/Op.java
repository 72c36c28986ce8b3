package dev.etcdj.client.kv;

/// What a transaction can do.
public sealed interface Op permits GetRequest, PutRequest, DeleteRequest, TxnRequest {}
