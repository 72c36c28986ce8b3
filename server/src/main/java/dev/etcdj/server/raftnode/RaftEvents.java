package dev.etcdj.server.raftnode;

import dev.etcdj.raft.ReadState;
import java.util.List;

/// What the raft loop tells the rest of the member; called on the raft loop, must be quick.
public interface RaftEvents {
  /// Leader, role or term changed; [RaftHandle#view] already says the same.
  void changed(RaftView before, RaftView now);

  /// Answers to [RaftHandle#readIndex].
  void readStates(List<ReadState> states);

  /// The committed index moved.
  void committed(long index);
}
