package dev.etcdj.etcdctl.output;

import com.google.protobuf.ByteString;
import dev.etcdj.client.cluster.MemberListResponse;
import dev.etcdj.client.kv.DeleteResponse;
import dev.etcdj.client.kv.GetResponse;
import dev.etcdj.client.kv.KeyValue;
import dev.etcdj.client.kv.OpResponse;
import dev.etcdj.client.kv.PutResponse;
import dev.etcdj.client.kv.TxnResponse;
import dev.etcdj.client.lease.LeaseGrantResponse;
import dev.etcdj.client.lease.LeaseKeepAliveResponse;
import dev.etcdj.client.lease.LeaseListResponse;
import dev.etcdj.client.lease.LeaseRevokeResponse;
import dev.etcdj.client.lease.LeaseTimeToLiveResponse;
import dev.etcdj.client.watch.Event;
import dev.etcdj.client.watch.WatchResponse;
import dev.etcdj.etcdctl.Console;
import dev.etcdj.etcdctl.GoDuration;
import dev.etcdj.etcdctl.output.EndpointAnswer.HashKv;
import dev.etcdj.etcdctl.output.EndpointAnswer.Health;
import dev.etcdj.etcdctl.output.EndpointAnswer.Status;
import java.util.List;
import java.util.stream.Collectors;

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
      answer(op);
    }
  }

  @Override
  public void watch(WatchResponse response) {
    switch (response) {
      case WatchResponse.Events events -> {
        for (Event event : events.events()) {
          console.line(event.type().name());
          if (event.prevKv() != null) {
            pair(event.prevKv(), View.PAIR);
          }
          pair(event.kv(), View.PAIR);
        }
      }
      case WatchResponse.Progress progress ->
          console.line("progress notify: " + progress.header().revision());
      case WatchResponse.Compacted _,
          WatchResponse.Refused _,
          WatchResponse.Failed _,
          WatchResponse.Closed _ -> {}
    }
  }

  @Override
  public void grant(LeaseGrantResponse response) {
    console.line(
        "lease " + Hex.of(response.id(), 16) + " granted with TTL(" + response.ttlSeconds() + "s)");
  }

  @Override
  public void revoke(long id, LeaseRevokeResponse response) {
    console.line("lease " + Hex.of(id, 16) + " revoked");
  }

  @Override
  public void timeToLive(LeaseTimeToLiveResponse response, boolean keys) {
    String lease = "lease " + Hex.of(response.id(), 16);
    if (response.grantedTtlSeconds() == 0 && response.ttlSeconds() == -1) {
      console.line(lease + " already expired");
      return;
    }
    console.print(
        lease
            + " granted with TTL("
            + response.grantedTtlSeconds()
            + "s), remaining("
            + response.ttlSeconds()
            + "s)");
    if (keys) {
      console.print(", attached keys([");
      String separator = "";
      for (ByteString key : response.keys()) {
        console.print(separator);
        console.bytes(key);
        separator = " ";
      }
      console.print("])");
    }
    console.line("");
  }

  @Override
  public void keepAlive(LeaseKeepAliveResponse response) {
    console.line(
        "lease "
            + Hex.of(response.id(), 16)
            + " keepalived with TTL("
            + response.ttlSeconds()
            + ")");
  }

  @Override
  public void leases(LeaseListResponse response) {
    console.line("found " + response.ids().size() + " leases");
    for (long id : response.ids()) {
      console.line(Hex.of(id, 16));
    }
  }

  @Override
  public void members(MemberListResponse response) {
    rows(Rows.members(response));
  }

  @Override
  public void status(List<Status> answers) {
    rows(Rows.status(answers));
  }

  @Override
  public void hashKv(List<HashKv> answers) {
    rows(Rows.hashKv(answers));
  }

  @Override
  public void health(List<Health> answers) {
    for (Health answer : answers) {
      if (answer.healthy()) {
        console.line(
            answer.endpoint()
                + " is healthy: successfully committed proposal: took = "
                + GoDuration.format(answer.took()));
      } else {
        console.errorLine(
            answer.endpoint() + " is unhealthy: failed to commit proposal: " + answer.error());
      }
    }
  }

  private void rows(Rows rows) {
    for (List<String> cells : rows.cells()) {
      console.line(cells.stream().collect(Collectors.joining(", ")));
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
