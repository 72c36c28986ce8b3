package dev.etcdj.conformance;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import dev.etcdj.proto.etcdserverpb.AlarmMember;
import dev.etcdj.proto.etcdserverpb.AlarmResponse;
import dev.etcdj.proto.etcdserverpb.LeaseGrantRequest;
import dev.etcdj.proto.etcdserverpb.LeaseGrantResponse;
import dev.etcdj.proto.etcdserverpb.LeaseTimeToLiveResponse;
import dev.etcdj.proto.etcdserverpb.Member;
import dev.etcdj.proto.etcdserverpb.MemberListResponse;
import dev.etcdj.proto.etcdserverpb.RangeRequest;
import dev.etcdj.proto.etcdserverpb.RangeRequest.SortTarget;
import dev.etcdj.proto.etcdserverpb.RangeResponse;
import dev.etcdj.proto.etcdserverpb.RangeStreamResponse;
import dev.etcdj.proto.etcdserverpb.RequestOp;
import dev.etcdj.proto.etcdserverpb.ResponseHeader;
import dev.etcdj.proto.etcdserverpb.ResponseOp;
import dev.etcdj.proto.etcdserverpb.StatusResponse;
import dev.etcdj.proto.etcdserverpb.TxnRequest;
import dev.etcdj.proto.etcdserverpb.TxnResponse;
import dev.etcdj.proto.mvccpb.KeyValue;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// Takes out of answers what may differ between two correct servers: ids and terms, sizes, clocks,
/// and what the rules call unspecified. Everything else stays as it was sent, presence and unknown
/// fields included.
final class Canonical {
  /// Go sorts this few with an insertion sort, which is stable; so ties are specified after all.
  private static final int STABLE_SORT = 12;

  private static final Comparator<ByteString> BYTES =
      ByteString.unsignedLexicographicalComparator();
  private static final ByteString ZERO = ByteString.copyFrom(new byte[1]);

  /// Where a message type has its header, looked up once.
  private static final Map<Descriptor, Optional<FieldDescriptor>> HEADERS =
      new ConcurrentHashMap<>();

  private Canonical() {}

  private static @Nullable FieldDescriptor headerField(Message answer) {
    return HEADERS
        .computeIfAbsent(
            answer.getDescriptorForType(),
            type -> Optional.ofNullable(type.findFieldByName("header")))
        .orElse(null);
  }

  /// The revision that the header tells of, 0 if none.
  static long headerRevision(Message answer) {
    FieldDescriptor field = headerField(answer);
    return field != null && answer.getField(field) instanceof ResponseHeader header
        ? header.getRevision()
        : 0;
  }

  /// Blanks `cluster_id`, `member_id` and `raft_term` of the header.
  static Message blank(Message answer) {
    if (answer instanceof RangeStreamResponse chunk && chunk.hasRangeResponse()) {
      return chunk.toBuilder()
          .setRangeResponse((RangeResponse) blank(chunk.getRangeResponse()))
          .build();
    }
    FieldDescriptor field = headerField(answer);
    if (field == null || !answer.hasField(field)) {
      return answer;
    }
    ResponseHeader header = (ResponseHeader) answer.getField(field);
    ResponseHeader blanked =
        header.toBuilder().clearClusterId().clearMemberId().clearRaftTerm().build();
    return answer.toBuilder().setField(field, blanked).build();
  }

  /// The chunks of a streamed range as one answer, for requests whose chunks differ on purpose.
  static List<Message> chunks(Message request, List<Message> answers) {
    if (!(request instanceof RangeRequest range)
        || range.getLimit() >= 0
        || answers.isEmpty()
        || !(answers.getFirst() instanceof RangeStreamResponse)) {
      return answers;
    }
    RangeResponse.Builder all = RangeResponse.newBuilder();
    answers.forEach(chunk -> all.mergeFrom(((RangeStreamResponse) chunk).getRangeResponse()));
    return List.of(RangeStreamResponse.newBuilder().setRangeResponse(all).build());
  }

  /// Blanks what is unspecified in an answer to `request`. For answers that differ as they are.
  static Message loose(Message request, Message answer) {
    if (request instanceof RangeRequest range && answer instanceof RangeResponse found) {
      return loose(range, found);
    }
    if (request instanceof TxnRequest txn && answer instanceof TxnResponse done) {
      return loose(txn, done);
    }
    if (request instanceof LeaseGrantRequest grant
        && answer instanceof LeaseGrantResponse granted
        && grant.getID() == 0) {
      return granted.toBuilder().setID(Long.signum(granted.getID())).build();
    }
    return switch (answer) {
      case LeaseTimeToLiveResponse ttl -> loose(ttl);
      case MemberListResponse members -> loose(members);
      case StatusResponse status -> loose(status);
      case AlarmResponse alarms -> loose(alarms);
      default -> answer;
    };
  }

  /// etcd lists alarms in the order of a Go map, another one each time.
  private static AlarmResponse loose(AlarmResponse answer) {
    List<AlarmMember> alarms = new ArrayList<>(answer.getAlarmsList());
    alarms.sort(
        Comparator.comparingInt(AlarmMember::getAlarmValue)
            .thenComparing(AlarmMember::getMemberID, Long::compareUnsigned));
    return answer.toBuilder().clearAlarms().addAllAlarms(alarms).build();
  }

  private static TxnResponse loose(TxnRequest request, TxnResponse answer) {
    List<RequestOp> taken =
        answer.getSucceeded() ? request.getSuccessList() : request.getFailureList();
    if (taken.size() != answer.getResponsesCount()) {
      return answer;
    }
    TxnResponse.Builder all = answer.toBuilder();
    for (int i = 0; i < taken.size(); i++) {
      RequestOp asked = taken.get(i);
      ResponseOp op = answer.getResponses(i);
      if (asked.hasRequestRange() && op.hasResponseRange()) {
        all.setResponses(
            i,
            op.toBuilder().setResponseRange(loose(asked.getRequestRange(), op.getResponseRange())));
      } else if (asked.hasRequestTxn() && op.hasResponseTxn()) {
        all.setResponses(
            i, op.toBuilder().setResponseTxn(loose(asked.getRequestTxn(), op.getResponseTxn())));
      }
    }
    return all.build();
  }

  /// Equal sort keys may come in any order (KV-46), so they are put in key order; of a group that
  /// the limit has cut, only the sort key is kept.
  private static RangeResponse loose(RangeRequest request, RangeResponse answer) {
    SortTarget target = request.getSortTarget();
    if (target == SortTarget.KEY || answer.getCount() <= STABLE_SORT) {
      return answer;
    }
    List<KeyValue> kvs = answer.getKvsList();
    RangeResponse.Builder all = answer.toBuilder().clearKvs();
    for (int from = 0; from < kvs.size(); ) {
      ByteString sortKey = sortKey(target, kvs.get(from));
      int to = from;
      while (to < kvs.size() && sortKey(target, kvs.get(to)).equals(sortKey)) {
        to++;
      }
      List<KeyValue> ties = new ArrayList<>(kvs.subList(from, to));
      if (to == kvs.size() && answer.getMore()) {
        ties.replaceAll(_ -> KeyValue.newBuilder().setValue(sortKey).build());
      }
      ties.sort(Comparator.comparing(KeyValue::getKey, BYTES));
      all.addAllKvs(ties);
      from = to;
    }
    return all.build();
  }

  private static ByteString sortKey(SortTarget target, KeyValue kv) {
    return switch (target) {
      case VALUE -> kv.getValue();
      case VERSION -> ByteString.copyFromUtf8(Long.toString(kv.getVersion()));
      case CREATE -> ByteString.copyFromUtf8(Long.toString(kv.getCreateRevision()));
      case MOD -> ByteString.copyFromUtf8(Long.toString(kv.getModRevision()));
      case KEY, UNRECOGNIZED -> ZERO;
    };
  }

  /// The order of keys is unspecified (LEASE-62).
  private static LeaseTimeToLiveResponse loose(LeaseTimeToLiveResponse answer) {
    List<ByteString> keys = new ArrayList<>(answer.getKeysList());
    keys.sort(BYTES);
    return answer.toBuilder().clearKeys().addAllKeys(keys).build();
  }

  private static MemberListResponse loose(MemberListResponse answer) {
    MemberListResponse.Builder all = answer.toBuilder();
    for (Member.Builder member : all.getMembersBuilderList()) {
      member.setID(Long.signum(member.getID()) == 0 ? 0 : 1);
      for (int i = 0; i < member.getPeerURLsCount(); i++) {
        member.setPeerURLs(i, withoutPort(member.getPeerURLs(i)));
      }
      for (int i = 0; i < member.getClientURLsCount(); i++) {
        member.setClientURLs(i, withoutPort(member.getClientURLs(i)));
      }
    }
    return all.build();
  }

  private static String withoutPort(String url) {
    return Objects.requireNonNull(url).replaceFirst(":\\d+$", "");
  }

  /// Keeps whether sizes, ids and indexes are there.
  private static StatusResponse loose(StatusResponse answer) {
    StatusResponse.Builder all = answer.toBuilder();
    for (int i = 0; i < all.getErrorsCount(); i++) {
      // Go's protobuf library puts one blank or two, so that nobody relies on it.
      all.setErrors(i, all.getErrors(i).replaceAll(" +", " "));
    }
    return all.setDbSize(Long.signum(answer.getDbSize()))
        .setDbSizeInUse(Long.signum(answer.getDbSizeInUse()))
        .setLeader(answer.getLeader() == 0 ? 0 : 1)
        .setRaftIndex(Long.signum(answer.getRaftIndex()))
        .setRaftTerm(Long.signum(answer.getRaftTerm()))
        .setRaftAppliedIndex(Long.signum(answer.getRaftAppliedIndex()))
        .build();
  }
}
