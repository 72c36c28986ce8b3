package dev.etcdj.etcdctl.output;

import com.google.protobuf.ByteString;
import dev.etcdj.client.kv.DeleteResponse;
import dev.etcdj.client.kv.GetResponse;
import dev.etcdj.client.kv.KeyValue;
import dev.etcdj.client.kv.OpResponse;
import dev.etcdj.client.kv.PutResponse;
import dev.etcdj.client.kv.TxnResponse;
import dev.etcdj.etcdctl.Console;

/// For people and shell scripts: keys and values a line each, bytes as they are or as `\xNN`.
final class SimplePrinter extends Printer {
  private static final String DIGITS = "0123456789abcdef";

  private final Console console;
  private final boolean hex;

  SimplePrinter(Console console, boolean hex) {
    super("simple");
    this.console = console;
    this.hex = hex;
  }

  @Override
  public void put(PutResponse response) {
    console.line("OK");
    if (response.prevKv() != null) {
      pair(response.prevKv(), View.PAIR);
    }
  }

  @Override
  public void get(GetResponse response, View view) {
    for (KeyValue pair : response.kvs()) {
      pair(pair, view);
    }
  }

  @Override
  public void delete(DeleteResponse response) {
    console.line(Long.toString(response.deleted()));
    for (KeyValue pair : response.prevKvs()) {
      pair(pair, View.PAIR);
    }
  }

  @Override
  public void txn(TxnResponse response) {
    console.line(response.succeeded() ? "SUCCESS" : "FAILURE");
    for (OpResponse op : response.responses()) {
      console.line("");
      switch (op) {
        case GetResponse get -> get(get, View.PAIR);
        case PutResponse put -> put(put);
        case DeleteResponse delete -> delete(delete);
        case TxnResponse txn -> txn(txn);
      }
    }
  }

  void pair(KeyValue pair, View view) {
    if (view != View.VALUE) {
      bytes(pair.key());
    }
    bytes(view == View.KEY ? ByteString.EMPTY : pair.value());
  }

  private void bytes(ByteString bytes) {
    if (hex) {
      StringBuilder text = new StringBuilder(bytes.size() * 4);
      for (byte b : bytes) {
        text.append("\\x").append(DIGITS.charAt(b >> 4 & 0xf)).append(DIGITS.charAt(b & 0xf));
      }
      console.print(text.toString());
    } else {
      console.bytes(bytes);
    }
    console.line("");
  }
}
