package dev.etcdj.etcdctl.output;

import dev.etcdj.client.cluster.MemberListResponse;
import dev.etcdj.client.kv.DeleteResponse;
import dev.etcdj.client.kv.GetResponse;
import dev.etcdj.client.kv.OpResponse;
import dev.etcdj.client.kv.PutResponse;
import dev.etcdj.client.kv.TxnResponse;
import dev.etcdj.client.lease.LeaseGrantResponse;
import dev.etcdj.client.lease.LeaseKeepAliveResponse;
import dev.etcdj.client.lease.LeaseListResponse;
import dev.etcdj.client.lease.LeaseRevokeResponse;
import dev.etcdj.client.lease.LeaseTimeToLiveResponse;
import dev.etcdj.client.watch.WatchResponse;
import dev.etcdj.etcdctl.Arguments;
import dev.etcdj.etcdctl.Console;
import dev.etcdj.etcdctl.Failure;
import dev.etcdj.etcdctl.output.EndpointAnswer.HashKv;
import dev.etcdj.etcdctl.output.EndpointAnswer.Health;
import dev.etcdj.etcdctl.output.EndpointAnswer.Status;
import java.util.List;

/// Prints answers in one format. A format that has no form for an answer refuses it, with exit 4.
public abstract class Printer {
  private final String format;

  Printer(String format) {
    this.format = format;
  }

  /// The printer that `--write-out` and `--hex` ask for.
  ///
  /// @throws Failure with exit 4 for an unknown format
  public static Printer of(Console console, Arguments flags) {
    boolean hex = flags.is("hex");
    return switch (flags.text("write-out")) {
      case "simple" -> new SimplePrinter(console, hex);
      case "fields" -> new FieldsPrinter(console, hex);
      case "json" -> new JsonPrinter(console, hex);
      case "table" -> new TablePrinter(console);
      case "protobuf" -> new ProtobufPrinter(console);
      default -> throw new Failure(Failure.BAD_FEATURE, "unsupported output format");
    };
  }

  /// The format's name.
  public String format() {
    return format;
  }

  /// Answer to one operation of a transaction.
  final void answer(OpResponse operation) {
    switch (operation) {
      case GetResponse get -> get(get, View.PAIR);
      case PutResponse put -> put(put);
      case DeleteResponse delete -> delete(delete);
      case TxnResponse txn -> txn(txn);
    }
  }

  /// Answer to `put`.
  public void put(PutResponse response) {
    throw unsupported();
  }

  /// Answer to `get`.
  ///
  /// @param view what to show of each pair, in the simple format
  public void get(GetResponse response, View view) {
    throw unsupported();
  }

  /// Answer to `del`.
  public void delete(DeleteResponse response) {
    throw unsupported();
  }

  /// Answer to `txn`.
  public void txn(TxnResponse response) {
    throw unsupported();
  }

  /// Events or the last word of `watch`.
  public void watch(WatchResponse response) {
    throw unsupported();
  }

  /// Answer to `lease grant`.
  public void grant(LeaseGrantResponse response) {
    throw unsupported();
  }

  /// Answer to `lease revoke`.
  public void revoke(long id, LeaseRevokeResponse response) {
    throw unsupported();
  }

  /// Answer to `lease timetolive`.
  ///
  /// @param keys whether keys were asked for
  public void timeToLive(LeaseTimeToLiveResponse response, boolean keys) {
    throw unsupported();
  }

  /// One renewal of `lease keep-alive`.
  public void keepAlive(LeaseKeepAliveResponse response) {
    throw unsupported();
  }

  /// Answer to `lease list`.
  public void leases(LeaseListResponse response) {
    throw unsupported();
  }

  /// Answer to `member list`.
  public void members(MemberListResponse response) {
    throw unsupported();
  }

  /// Answers to `endpoint status`.
  public void status(List<Status> answers) {
    throw unsupported();
  }

  /// Answers to `endpoint hashkv`.
  public void hashKv(List<HashKv> answers) {
    throw unsupported();
  }

  /// Answers to `endpoint health`.
  public void health(List<Health> answers) {
    throw unsupported();
  }

  /// What to show of a pair.
  public enum View {
    PAIR,
    KEY,
    VALUE
  }

  final Failure unsupported() {
    return new Failure(Failure.BAD_FEATURE, format + " not supported as output format");
  }
}
