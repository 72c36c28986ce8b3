package dev.etcdj.server.apply;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import dev.etcdj.proto.etcdserverpb.InternalRaftRequest;
import dev.etcdj.proto.etcdserverpb.RequestHeader;
import dev.etcdj.raft.InvariantViolation;
import java.io.IOException;

/// Reads normal entries' data, wire-form `InternalRaftRequest`.
final class EntryDecoder {
  /// Nested transactions go as deep as the operation limit lets them: two messages per level.
  private static final int MAX_DEPTH = 1_000;

  private EntryDecoder() {}

  /// The request id in an entry, found without decoding the request; 0 when there is none.
  static long requestId(byte[] data) throws IOException {
    CodedInputStream in = CodedInputStream.newInstance(data);
    long headerId = 0;
    while (!in.isAtEnd()) {
      int tag = in.readTag();
      int field = WireFormat.getTagFieldNumber(tag);
      if (field == InternalRaftRequest.ID_FIELD_NUMBER) {
        return in.readUInt64();
      } else if (field == InternalRaftRequest.HEADER_FIELD_NUMBER) {
        headerId = headerId(in);
      } else if (!in.skipField(tag)) {
        break;
      }
    }
    return headerId;
  }

  private static long headerId(CodedInputStream in) throws IOException {
    int limit = in.pushLimit(in.readRawVarint32());
    long id = 0;
    while (!in.isAtEnd()) {
      int tag = in.readTag();
      if (WireFormat.getTagFieldNumber(tag) == RequestHeader.ID_FIELD_NUMBER) {
        id = in.readUInt64();
      } else if (!in.skipField(tag)) {
        break;
      }
    }
    in.popLimit(limit);
    return id;
  }

  /// The command in an entry. Keys and values alias `data`.
  ///
  /// @throws InvariantViolation for a command that this version cannot execute: going on would
  ///     make this member differ from those that can
  static Command command(byte[] data) throws IOException {
    InternalRaftRequest request = InternalRaftRequest.parseFrom(input(data));
    if (request.hasPut()) {
      return new Command.Put(Commands.put(request.getPut()));
    } else if (request.hasTxn()) {
      return Commands.txn(request.getTxn());
    } else if (request.hasDeleteRange()) {
      return new Command.DeleteRange(Commands.delete(request.getDeleteRange()));
    } else if (request.hasRange()) {
      return new Command.Range(Commands.query(request.getRange()));
    } else if (request.hasCompaction()) {
      return new Command.Compact(request.getCompaction().getRevision());
    } else if (request.hasLeaseGrant()) {
      var grant = request.getLeaseGrant();
      return new Command.LeaseGrant(grant.getID(), grant.getTTL());
    } else if (request.hasLeaseRevoke()) {
      return new Command.LeaseRevoke(request.getLeaseRevoke().getID());
    } else if (request.hasLeaseCheckpoint()) {
      return Commands.checkpoint(request.getLeaseCheckpoint());
    }
    return rare(request);
  }

  private static Command rare(InternalRaftRequest request) {
    if (request.hasAlarm()) {
      var alarm = request.getAlarm();
      return new Command.Alarm(alarm.getActionValue(), alarm.getMemberID(), alarm.getAlarmValue());
    } else if (request.hasClusterMemberAttrSet()) {
      return new Command.MemberAttributes(request.getClusterMemberAttrSet());
    } else if (request.hasClusterVersionSet()) {
      return new Command.ClusterVersion(request.getClusterVersionSet());
    } else if (request.hasDowngradeInfoSet()) {
      return new Command.Downgrade(request.getDowngradeInfoSet());
    } else if (request.hasDowngradeVersionTest()) {
      return new Command.Nothing();
    }
    for (var field : request.getAllFields().keySet()) {
      if (field.getNumber() != InternalRaftRequest.ID_FIELD_NUMBER
          && field.getNumber() != InternalRaftRequest.HEADER_FIELD_NUMBER) {
        throw new InvariantViolation("cannot execute command " + field.getName());
      }
    }
    throw new InvariantViolation("entry holds no command known here");
  }

  private static CodedInputStream input(byte[] data) {
    CodedInputStream in = CodedInputStream.newInstance(data);
    in.enableAliasing(true);
    in.setRecursionLimit(MAX_DEPTH);
    return in;
  }
}
