package dev.etcdj.etcdctl.output;

import dev.etcdj.client.kv.DeleteResponse;
import dev.etcdj.client.kv.GetResponse;
import dev.etcdj.client.kv.KeyValue;
import dev.etcdj.client.kv.OpResponse;
import dev.etcdj.client.kv.PutResponse;
import dev.etcdj.client.kv.TxnResponse;
import dev.etcdj.client.transport.ResponseHeader;
import dev.etcdj.etcdctl.Console;
import dev.etcdj.etcdctl.GoText;

/// A line `"Name" : value` per field, texts quoted; ids in hexadecimal when asked.
final class FieldsPrinter extends Printer {
  private final Console console;
  private final boolean hex;

  FieldsPrinter(Console console, boolean hex) {
    super("fields");
    this.console = console;
    this.hex = hex;
  }

  @Override
  public void put(PutResponse response) {
    header(response.header());
    if (response.prevKv() != null) {
      pair("Prev", response.prevKv());
    }
  }

  @Override
  public void get(GetResponse response, View view) {
    header(response.header());
    for (KeyValue pair : response.kvs()) {
      pair("", pair);
    }
    field("More", response.more());
    field("Count", response.count());
  }

  @Override
  public void delete(DeleteResponse response) {
    header(response.header());
    field("Deleted", response.deleted());
    for (KeyValue pair : response.prevKvs()) {
      pair("Prev", pair);
    }
  }

  @Override
  public void txn(TxnResponse response) {
    header(response.header());
    field("Succeeded", response.succeeded());
    for (OpResponse op : response.responses()) {
      switch (op) {
        case GetResponse get -> get(get, View.PAIR);
        case PutResponse put -> put(put);
        case DeleteResponse delete -> delete(delete);
        case TxnResponse txn -> txn(txn);
      }
    }
  }

  private void header(ResponseHeader header) {
    field("ClusterID", id(header.clusterId()));
    field("MemberID", id(header.memberId()));
    if (header.revision() > 0) {
      field("Revision", header.revision());
    }
    field("RaftTerm", Long.toUnsignedString(header.raftTerm()));
  }

  private void pair(String prefix, KeyValue pair) {
    field(prefix + "Key", GoText.quote(pair.key()));
    field(prefix + "CreateRevision", pair.createRevision());
    field(prefix + "ModRevision", pair.modRevision());
    field(prefix + "Version", pair.version());
    field(prefix + "Value", GoText.quote(pair.value()));
    field(prefix + "Lease", hex ? Hex.of(pair.lease(), 16) : Long.toString(pair.lease()));
  }

  private String id(long id) {
    return hex ? Long.toHexString(id) : Long.toUnsignedString(id);
  }

  private void field(String name, Object value) {
    console.line("\"" + name + "\" : " + value);
  }
}
