package dev.etcdj.etcdctl.output;

import com.google.protobuf.ByteString;
import dev.etcdj.client.cluster.Member;
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
import dev.etcdj.client.maintenance.HashKvResponse;
import dev.etcdj.client.maintenance.StatusResponse;
import dev.etcdj.client.transport.ResponseHeader;
import dev.etcdj.client.watch.Event;
import dev.etcdj.client.watch.WatchResponse;
import dev.etcdj.etcdctl.Console;
import dev.etcdj.etcdctl.GoDuration;
import dev.etcdj.etcdctl.output.EndpointAnswer.HashKv;
import dev.etcdj.etcdctl.output.EndpointAnswer.Health;
import dev.etcdj.etcdctl.output.EndpointAnswer.Status;
import java.util.List;
import org.jspecify.annotations.Nullable;

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

  @Override
  public void watch(WatchResponse response) {
    switch (response) {
      case WatchResponse.Events events -> watch(events.header(), events.events(), 0, false);
      case WatchResponse.Progress progress -> watch(progress.header(), null, 0, false);
      case WatchResponse.Compacted compacted ->
          watch(compacted.header(), null, compacted.compactRevision(), true);
      case WatchResponse.Refused _ -> watch(ResponseHeader.NONE, null, 0, true);
      case WatchResponse.Failed _, WatchResponse.Closed _ -> {}
    }
  }

  private void watch(
      ResponseHeader header, @Nullable List<Event> events, long compacted, boolean canceled) {
    Json json = new Json().begin();
    header(json, "Header", header);
    json.name("Events");
    if (events == null) {
      json.nothing();
    } else {
      json.beginArray();
      events.forEach(event -> event(json, event));
      json.endArray();
    }
    json.name("CompactRevision").value(compacted);
    json.name("Canceled").value(canceled);
    json.name("Created").value(false);
    json.name("CancelReason").value("");
    print(json.end());
  }

  private static void event(Json json, Event event) {
    json.begin();
    json.number("type", event.type().ordinal());
    pair(json.name("kv"), event.kv());
    if (event.prevKv() != null) {
      pair(json.name("prev_kv"), event.prevKv());
    }
    json.end();
  }

  @Override
  public void grant(LeaseGrantResponse response) {
    Json json = new Json().begin();
    headerFields(json, response.header());
    json.name("ID").value(response.id());
    json.name("TTL").value(response.ttlSeconds());
    json.name("Error").value(response.error());
    print(json.end());
  }

  @Override
  public void revoke(long id, LeaseRevokeResponse response) {
    Json json = new Json().begin();
    header(json, "header", response.header());
    print(json.end());
  }

  @Override
  public void timeToLive(LeaseTimeToLiveResponse response, boolean keys) {
    Json json = new Json().begin();
    headerFields(json, response.header());
    json.name("id").value(response.id());
    json.name("ttl").value(response.ttlSeconds());
    json.name("granted-ttl").value(response.grantedTtlSeconds());
    json.name("keys");
    if (response.keys().isEmpty()) {
      json.nothing();
    } else {
      json.beginArray();
      for (ByteString key : response.keys()) {
        json.bytesValue(key);
      }
      json.endArray();
    }
    print(json.end());
  }

  @Override
  public void keepAlive(LeaseKeepAliveResponse response) {
    Json json = new Json().begin();
    headerFields(json, response.header());
    json.name("ID").value(response.id());
    json.name("TTL").value(response.ttlSeconds());
    print(json.end());
  }

  @Override
  public void leases(LeaseListResponse response) {
    Json json = new Json().begin();
    headerFields(json, response.header());
    json.name("leases").beginArray();
    for (long id : response.ids()) {
      json.begin().name("id").value(id).end();
    }
    print(json.endArray().end());
  }

  @Override
  public void members(MemberListResponse response) {
    Json json = new Json().begin();
    json.name("header").begin();
    id(json, "cluster_id", response.header().clusterId());
    id(json, "member_id", response.header().memberId());
    json.number("revision", response.header().revision());
    json.unsigned("raft_term", response.header().raftTerm());
    json.end();
    if (!response.members().isEmpty()) {
      json.name("members").beginArray();
      response.members().forEach(member -> member(json, member));
      json.endArray();
    }
    print(json.end());
  }

  private void member(Json json, Member member) {
    json.begin();
    id(json, "ID", member.id());
    json.string("name", member.name());
    strings(json, "peerURLs", member.peerUrls());
    strings(json, "clientURLs", member.clientUrls());
    json.flag("isLearner", member.isLearner());
    json.end();
  }

  /// An id of `member list`, the one answer whose JSON heeds `--hex`.
  private void id(Json json, String name, long id) {
    if (hex) {
      json.name(name).value(Long.toHexString(id));
    } else {
      json.unsigned(name, id);
    }
  }

  @Override
  public void status(List<Status> answers) {
    if (answers.isEmpty()) {
      print(new Json().nothing());
      return;
    }
    Json json = new Json().beginArray();
    for (Status answer : answers) {
      json.begin().name("Endpoint").value(answer.endpoint()).name("Status").begin();
      status(json, answer.response());
      json.end().end();
    }
    print(json.endArray());
  }

  private static void status(Json json, StatusResponse status) {
    header(json, "header", status.header());
    json.string("version", status.version());
    json.number("dbSize", status.size().db());
    json.unsigned("leader", status.leader());
    json.unsigned("raftIndex", status.position().raftIndex());
    json.unsigned("raftTerm", status.position().raftTerm());
    json.unsigned("raftAppliedIndex", status.position().appliedIndex());
    strings(json, "errors", status.errors());
    json.number("dbSizeInUse", status.size().dbInUse());
    json.flag("isLearner", status.isLearner());
    json.string("storageVersion", status.storageVersion());
    json.number("dbSizeQuota", status.size().dbQuota());
    if (status.downgrade().present()) {
      json.name("downgradeInfo").begin();
      json.flag("enabled", status.downgrade().enabled());
      json.string("targetVersion", status.downgrade().targetVersion());
      json.end();
    }
  }

  @Override
  public void hashKv(List<HashKv> answers) {
    if (answers.isEmpty()) {
      print(new Json().nothing());
      return;
    }
    Json json = new Json().beginArray();
    for (HashKv answer : answers) {
      HashKvResponse hash = answer.response();
      json.begin().name("Endpoint").value(answer.endpoint()).name("HashKV").begin();
      header(json, "header", hash.header());
      json.number("hash", hash.hash());
      json.number("compact_revision", hash.compactRevision());
      json.number("hash_revision", hash.hashRevision());
      json.end().end();
    }
    print(json.endArray());
  }

  @Override
  public void health(List<Health> answers) {
    Json json = new Json().beginArray();
    for (Health answer : answers) {
      json.begin();
      json.name("endpoint").value(answer.endpoint());
      json.name("health").value(answer.healthy());
      json.name("took").value(GoDuration.format(answer.took()));
      json.string("error", answer.error());
      json.end();
    }
    print(json.endArray());
  }

  private static void strings(Json json, String name, List<String> values) {
    if (values.isEmpty()) {
      return;
    }
    json.name(name).beginArray();
    values.forEach(json::value);
    json.endArray();
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
