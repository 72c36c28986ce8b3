package dev.etcdj.server.peer;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.etcdj.proto.raftpb.ConfChangeSingle;
import dev.etcdj.proto.raftpb.ConfChangeTransition;
import dev.etcdj.proto.raftpb.ConfChangeType;
import dev.etcdj.proto.raftpb.ConfChangeV2;
import dev.etcdj.raft.ConfChange;
import dev.etcdj.raft.ConfChangeCodec;
import dev.etcdj.raft.log.Bytes;
import dev.etcdj.raft.log.Entry;
import dev.etcdj.raft.log.EntryType;
import java.util.List;

/// Configuration changes as etcd logs them: raftpb.ConfChange for single steps,
/// raftpb.ConfChangeV2 for joint ones (RAFT-171). Only fields that differ from zero are written.
public final class RaftpbConfChangeCodec implements ConfChangeCodec {
  @Override
  public Bytes encode(ConfChange change) {
    return switch (change.type()) {
      case CONF_CHANGE -> Bytes.wrap(single(change).toByteArray());
      case CONF_CHANGE_V2 -> Bytes.wrap(joint(change).toByteArray());
      case NORMAL -> throw new IllegalArgumentException("a normal entry holds no change");
    };
  }

  private static dev.etcdj.proto.raftpb.ConfChange single(ConfChange change) {
    if (change.changes().size() != 1) {
      throw new IllegalArgumentException("a single-step change has one step: " + change);
    }
    ConfChange.Single step = change.changes().getFirst();
    var proto = dev.etcdj.proto.raftpb.ConfChange.newBuilder();
    if (change.id() != 0) {
      proto.setId(change.id());
    }
    if (step.kind() != ConfChange.Kind.ADD_NODE) {
      proto.setType(ConfChangeType.forNumber(step.kind().ordinal()));
    }
    if (step.nodeId() != 0) {
      proto.setNodeId(step.nodeId());
    }
    if (!change.context().isEmpty()) {
      proto.setContext(ByteString.copyFrom(change.context().unsafeArray()));
    }
    return proto.build();
  }

  private static ConfChangeV2 joint(ConfChange change) {
    ConfChangeV2.Builder proto = ConfChangeV2.newBuilder();
    if (change.transition() != ConfChange.Transition.AUTO) {
      proto.setTransition(ConfChangeTransition.forNumber(change.transition().ordinal()));
    }
    for (ConfChange.Single step : change.changes()) {
      ConfChangeSingle.Builder single = ConfChangeSingle.newBuilder();
      if (step.kind() != ConfChange.Kind.ADD_NODE) {
        single.setType(ConfChangeType.forNumber(step.kind().ordinal()));
      }
      if (step.nodeId() != 0) {
        single.setNodeId(step.nodeId());
      }
      proto.addChanges(single);
    }
    if (!change.context().isEmpty()) {
      proto.setContext(ByteString.copyFrom(change.context().unsafeArray()));
    }
    return proto.build();
  }

  @Override
  public ConfChange decode(Entry entry) {
    byte[] data = entry.data().unsafeArray();
    try {
      return switch (entry.type()) {
        case CONF_CHANGE -> fromSingle(dev.etcdj.proto.raftpb.ConfChange.parseFrom(data));
        case CONF_CHANGE_V2 -> fromJoint(ConfChangeV2.parseFrom(data));
        case NORMAL -> throw new IllegalArgumentException("a normal entry holds no change");
      };
    } catch (InvalidProtocolBufferException malformed) {
      throw new IllegalArgumentException(
          "entry " + entry.index() + " holds no configuration change", malformed);
    }
  }

  private static ConfChange fromSingle(dev.etcdj.proto.raftpb.ConfChange proto) {
    return ConfChange.single(
        kind(proto.getType()),
        proto.getNodeId(),
        proto.getId(),
        Bytes.wrap(proto.getContext().toByteArray()));
  }

  private static ConfChange fromJoint(ConfChangeV2 proto) {
    List<ConfChange.Single> steps =
        proto.getChangesList().stream()
            .map(step -> new ConfChange.Single(kind(step.getType()), step.getNodeId()))
            .toList();
    return new ConfChange(
        EntryType.CONF_CHANGE_V2,
        ConfChange.Transition.values()[proto.getTransition().getNumber()],
        steps,
        0,
        Bytes.wrap(proto.getContext().toByteArray()));
  }

  private static ConfChange.Kind kind(ConfChangeType type) {
    return ConfChange.Kind.values()[type.getNumber()];
  }
}
