package dev.etcdj.raft.message;

import dev.etcdj.raft.log.Bytes;
import dev.etcdj.raft.log.Entry;
import dev.etcdj.raft.log.HardState;
import dev.etcdj.raft.log.Snapshot;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Everything that is stepped into a node or comes out of its `Ready`. Field names are the Raft
/// paper's; the numbers on the wire are RAFT-170. Node id 0 is none.
public sealed interface Message {
  /// Target of [StorageAppend] (RAFT-20).
  long LOCAL_APPEND_THREAD = -1L;

  /// Target of [StorageApply] (RAFT-20).
  long LOCAL_APPLY_THREAD = -2L;

  /// Sender's node id.
  long from();

  /// Receiver's node id.
  long to();

  /// Sender's term; 0 on local and forwarded messages (RAFT-61).
  long term();

  /// Messages that travel between members.
  sealed interface Remote extends Message {}

  /// Messages that never leave the member (RAFT-24).
  sealed interface Local extends Message {}

  /// Entries to append, from a client or forwarded by a follower.
  record Propose(long from, long to, long term, List<Entry> entries) implements Remote {}

  /// MsgApp: entries that follow the entry (`prevTerm`, `prevIndex`).
  record Append(
      long from,
      long to,
      long term,
      long prevTerm,
      long prevIndex,
      List<Entry> entries,
      long commit)
      implements Remote {}

  /// MsgApp without entries that wants no answer unless it is refused: `commit` is news for a
  /// log that goes on to the entry (`prevTerm`, `prevIndex`). etcd's members answer it.
  record CommitIndex(long from, long to, long term, long prevTerm, long prevIndex, long commit)
      implements Remote {}

  /// MsgAppResp: `index` is the last index known to match, or the rejected prevIndex; then
  /// `rejectHint` and `hintTerm` say where to probe next (RAFT-51).
  record AppendResponse(
      long from, long to, long term, long index, boolean reject, long rejectHint, long hintTerm)
      implements Remote {}

  /// MsgVote. `context` is `CampaignTransfer` for a leadership transfer, else empty.
  record Vote(long from, long to, long term, long lastTerm, long lastIndex, Bytes context)
      implements Remote {}

  /// MsgVoteResp.
  record VoteResponse(long from, long to, long term, boolean reject) implements Remote {}

  /// MsgPreVote.
  record PreVote(long from, long to, long term, long lastTerm, long lastIndex, Bytes context)
      implements Remote {}

  /// MsgPreVoteResp.
  record PreVoteResponse(long from, long to, long term, boolean reject) implements Remote {}

  /// MsgSnap.
  record InstallSnapshot(long from, long to, long term, Snapshot snapshot) implements Remote {}

  /// MsgHeartbeat. `context` is opaque and comes back in the response.
  record Heartbeat(long from, long to, long term, long commit, Bytes context) implements Remote {}

  /// MsgHeartbeatResp.
  record HeartbeatResponse(long from, long to, long term, Bytes context) implements Remote {}

  /// MsgTransferLeader: `from` is the transferee.
  record TransferLeader(long from, long to, long term) implements Remote {}

  /// MsgTimeoutNow.
  record TimeoutNow(long from, long to, long term) implements Remote {}

  /// MsgReadIndex: `context` names the request and comes back with the answer.
  record ReadIndex(long from, long to, long term, Bytes context) implements Remote {}

  /// MsgReadIndexResp.
  record ReadIndexResponse(long from, long to, long term, long index, Bytes context)
      implements Remote {}

  /// MsgForgetLeader.
  record ForgetLeader(long from, long to, long term) implements Remote {}

  /// MsgHup: start a campaign.
  record Hup(long from, long to, long term) implements Local {}

  /// MsgBeat: send heartbeats now.
  record Beat(long from, long to, long term) implements Local {}

  /// MsgCheckQuorum.
  record CheckQuorum(long from, long to, long term) implements Local {}

  /// MsgUnreachable: the last message to `from` was not delivered.
  record Unreachable(long from, long to, long term) implements Local {}

  /// MsgSnapStatus: how the snapshot sent to `from` ended.
  record SnapshotStatus(long from, long to, long term, boolean reject) implements Local {}

  /// MsgStorageAppend: make `entries`, `snapshot` and `hardState` durable, then deliver
  /// `responses` (to peers, or to this node when `to` is its own id). Without responses it need
  /// not be synced (RAFT-21).
  record StorageAppend(
      long from,
      long to,
      long term,
      List<Entry> entries,
      @Nullable HardState hardState,
      @Nullable Snapshot snapshot,
      List<Message> responses)
      implements Local {
    /// The same work, promising nothing.
    public StorageAppend withoutResponses() {
      return responses.isEmpty()
          ? this
          : new StorageAppend(from, to, term, entries, hardState, snapshot, List.of());
    }
  }

  /// MsgStorageAppendResp: everything up to (`index`, `logTerm`) is durable; `snapshot` too when
  /// present (RAFT-22). Index 0: no entries are attested.
  record StorageAppendResponse(
      long from, long to, long term, long index, long logTerm, @Nullable Snapshot snapshot)
      implements Local {}

  /// MsgStorageApply: committed entries to apply, then deliver `responses`.
  record StorageApply(long from, long to, long term, List<Entry> entries, List<Message> responses)
      implements Local {}

  /// MsgStorageApplyResp: `entries` are applied.
  record StorageApplyResponse(long from, long to, long term, List<Entry> entries)
      implements Local {}
}
