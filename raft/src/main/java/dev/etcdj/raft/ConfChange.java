package dev.etcdj.raft;

import dev.etcdj.raft.log.Bytes;
import dev.etcdj.raft.log.EntryType;
import java.util.List;

/// A change of the configuration, in the general (V2) form. `type` says how it is written in the
/// log: CONF_CHANGE for etcd's single-step changes, CONF_CHANGE_V2 for joint ones.
public record ConfChange(
    EntryType type, Transition transition, List<Single> changes, long id, Bytes context) {

  /// How a joint configuration is entered and left (RAFT-92). Wire numbers are the ordinals.
  public enum Transition {
    AUTO,
    JOINT_IMPLICIT,
    JOINT_EXPLICIT
  }

  /// Kind of one step. Wire numbers are the ordinals (RAFT-171).
  public enum Kind {
    ADD_NODE,
    REMOVE_NODE,
    UPDATE_NODE,
    ADD_LEARNER_NODE
  }

  /// One step; node id 0 makes it a no-op (RAFT-91).
  public record Single(Kind kind, long nodeId) {}

  public ConfChange {
    changes = List.copyOf(changes);
  }

  /// A single-step change as etcd writes it. `id` is the request id its proposer waits for.
  public static ConfChange single(Kind kind, long nodeId, long id, Bytes context) {
    return new ConfChange(
        EntryType.CONF_CHANGE, Transition.AUTO, List.of(new Single(kind, nodeId)), id, context);
  }

  /// Whether this leaves a joint configuration.
  public boolean leavesJoint() {
    return changes.isEmpty() && transition == Transition.AUTO;
  }
}
