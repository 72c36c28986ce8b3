package dev.etcdj.etcdctl.output;

import dev.etcdj.client.kv.DeleteResponse;
import dev.etcdj.client.kv.GetResponse;
import dev.etcdj.client.kv.KeyValue;
import dev.etcdj.client.kv.OpResponse;
import dev.etcdj.client.kv.PutResponse;
import dev.etcdj.client.kv.TxnResponse;
import dev.etcdj.client.transport.ResponseHeader;
import dev.etcdj.etcdctl.Console;
import java.util.List;

/// One line of JSON per answer, in the order and with the names of etcd's own structures: numbers
/// as numbers, bytes in base64, fields without a value left out.
final class JsonPrinter extends Printer {
  private final Console console;
  private final boolean hex;

  JsonPrinter(Console console, boolean hex) {
    super("json");
    this.console = console;
    this.hex = hex;
  }

  @Override
  public void put(PutResponse response) {
    Json json = new Json();
    put(json, response);
    print(json);
  }

  @Override
  public void get(GetResponse response, View view) {
    Json json = new Json();
    get(json, response);
    print(json);
  }

  @Override
  public void delete(DeleteResponse response) {
    Json json = new Json();
    delete(json, response);
    print(json);
  }

  @Override
  public void txn(TxnResponse response) {
    Json json = new Json();
    txn(json, response);
    print(json);
  }

  private static void put(Json json, PutResponse response) {
    json.begin();
    header(json, "header", response.header());
    if (response.prevKv() != null) {
      pair(json.name("prev_kv"), response.prevKv());
    }
    json.end();
  }

  private static void get(Json json, GetResponse response) {
    json.begin();
    header(json, "header", response.header());
    pairs(json, "kvs", response.kvs());
    json.flag("more", response.more());
    json.number("count", response.count());
    json.end();
  }

  private static void delete(Json json, DeleteResponse response) {
    json.begin();
    header(json, "header", response.header());
    json.number("deleted", response.deleted());
    pairs(json, "prev_kvs", response.prevKvs());
    json.end();
  }

  private static void txn(Json json, TxnResponse response) {
    json.begin();
    header(json, "header", response.header());
    json.flag("succeeded", response.succeeded());
    if (!response.responses().isEmpty()) {
      json.name("responses").beginArray();
      for (OpResponse op : response.responses()) {
        op(json, op);
      }
      json.endArray();
    }
    json.end();
  }

  private static void op(Json json, OpResponse op) {
    json.begin().name("Response").begin();
    switch (op) {
      case GetResponse get -> get(json.name("response_range"), get);
      case PutResponse put -> put(json.name("response_put"), put);
      case DeleteResponse delete -> delete(json.name("response_delete_range"), delete);
      case TxnResponse txn -> txn(json.name("response_txn"), txn);
    }
    json.end().end();
  }

  private static void header(Json json, String name, ResponseHeader header) {
    json.name(name).begin();
    headerFields(json, header);
    json.end();
  }

  private static void headerFields(Json json, ResponseHeader header) {
    json.unsigned("cluster_id", header.clusterId());
    json.unsigned("member_id", header.memberId());
    json.number("revision", header.revision());
    json.unsigned("raft_term", header.raftTerm());
  }

  private static void pairs(Json json, String name, List<KeyValue> pairs) {
    if (pairs.isEmpty()) {
      return;
    }
    json.name(name).beginArray();
    for (KeyValue pair : pairs) {
      pair(json, pair);
    }
    json.endArray();
  }

  private static void pair(Json json, KeyValue pair) {
    json.begin();
    json.bytes("key", pair.key());
    json.number("create_revision", pair.createRevision());
    json.number("mod_revision", pair.modRevision());
    json.number("version", pair.version());
    json.bytes("value", pair.value());
    json.number("lease", pair.lease());
    json.end();
  }

  private void print(Json json) {
    console.line(json.text());
  }
}
