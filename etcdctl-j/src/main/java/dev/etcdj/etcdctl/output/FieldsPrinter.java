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
import dev.etcdj.etcdctl.GoText;
import dev.etcdj.etcdctl.output.EndpointAnswer.HashKv;
import dev.etcdj.etcdctl.output.EndpointAnswer.Health;
import dev.etcdj.etcdctl.output.EndpointAnswer.Status;
import java.util.List;

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
      answer(op);
    }
  }

  @Override
  public void watch(WatchResponse response) {
    switch (response) {
      case WatchResponse.Events events -> {
        header(events.header());
        for (Event event : events.events()) {
          field("Type", event.type().name());
          if (event.prevKv() != null) {
            pair("Prev", event.prevKv());
          }
          pair("", event.kv());
        }
      }
      case WatchResponse.Progress progress -> header(progress.header());
      case WatchResponse.Compacted compacted -> header(compacted.header());
      case WatchResponse.Refused _ -> header(ResponseHeader.NONE);
      case WatchResponse.Failed _, WatchResponse.Closed _ -> {}
    }
  }

  @Override
  public void grant(LeaseGrantResponse response) {
    header(response.header());
    field("ID", lease(response.id()));
    field("TTL", response.ttlSeconds());
  }

  @Override
  public void revoke(long id, LeaseRevokeResponse response) {
    header(response.header());
  }

  @Override
  public void timeToLive(LeaseTimeToLiveResponse response, boolean keys) {
    header(response.header());
    field("ID", lease(response.id()));
    field("TTL", response.ttlSeconds());
    field("GrantedTTL", response.grantedTtlSeconds());
    for (ByteString key : response.keys()) {
      field("Key", GoText.quote(key));
    }
  }

  @Override
  public void keepAlive(LeaseKeepAliveResponse response) {
    header(response.header());
    field("ID", lease(response.id()));
    field("TTL", response.ttlSeconds());
  }

  @Override
  public void leases(LeaseListResponse response) {
    header(response.header());
    for (long id : response.ids()) {
      field("ID", lease(id));
    }
  }

  @Override
  public void members(MemberListResponse response) {
    header(response.header());
    for (Member member : response.members()) {
      field("ID", id(member.id()));
      field("Name", GoText.quote(member.name()));
      member.peerUrls().forEach(url -> field("PeerURL", GoText.quote(url)));
      member.clientUrls().forEach(url -> field("ClientURL", GoText.quote(url)));
      field("IsLearner", member.isLearner());
      console.line("");
    }
  }

  @Override
  public void status(List<Status> answers) {
    for (Status answer : answers) {
      StatusResponse status = answer.response();
      header(status.header());
      field("Version", GoText.quote(status.version()));
      field("StorageVersion", GoText.quote(status.storageVersion()));
      field("DBSize", status.size().db());
      field("DBSizeInUse", status.size().dbInUse());
      field("DBSizeQuota", status.size().dbQuota());
      field("Leader", Long.toUnsignedString(status.leader()));
      field("IsLearner", status.isLearner());
      field("RaftIndex", Long.toUnsignedString(status.position().raftIndex()));
      field("RaftTerm", Long.toUnsignedString(status.position().raftTerm()));
      field("RaftAppliedIndex", Long.toUnsignedString(status.position().appliedIndex()));
      field("Errors", GoText.quote(status.errors()));
      field("Endpoint", GoText.quote(answer.endpoint()));
      field("DowngradeTargetVersion", GoText.quote(status.downgrade().targetVersion()));
      field("DowngradeEnabled", status.downgrade().enabled());
      console.line("");
    }
  }

  @Override
  public void hashKv(List<HashKv> answers) {
    for (HashKv answer : answers) {
      HashKvResponse hash = answer.response();
      header(hash.header());
      field("Endpoint", GoText.quote(answer.endpoint()));
      field("Hash", hash.hash());
      field("HashRevision", hash.hashRevision());
      console.line("");
    }
  }

  @Override
  public void health(List<Health> answers) {
    for (Health answer : answers) {
      field("Endpoint", GoText.quote(answer.endpoint()));
      field("Health", answer.healthy());
      field("Took", GoDuration.format(answer.took()));
      field("Error", answer.error());
      console.line("");
    }
  }

  private String lease(long id) {
    return hex ? Hex.of(id, 16) : Long.toString(id);
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
    field(prefix + "Lease", lease(pair.lease()));
  }

  private String id(long id) {
    return hex ? Long.toHexString(id) : Long.toUnsignedString(id);
  }

  private void field(String name, Object value) {
    console.line("\"" + name + "\" : " + value);
  }
}
