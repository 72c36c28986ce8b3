package dev.etcdj.raft.script;

import dev.etcdj.raft.ReadState;
import dev.etcdj.raft.Ready;
import dev.etcdj.raft.Role;
import dev.etcdj.raft.log.Bytes;
import dev.etcdj.raft.log.ConfState;
import dev.etcdj.raft.log.Entry;
import dev.etcdj.raft.log.EntryType;
import dev.etcdj.raft.log.HardState;
import dev.etcdj.raft.log.Snapshot;
import dev.etcdj.raft.message.Message;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Readys, messages and entries in the notation that etcd's raft library prints, so that one
/// script can be run against both.
final class Describe {
  private static final TextCodec CODEC = new TextCodec();

  private Describe() {}

  static String ready(Ready ready) {
    StringBuilder text = new StringBuilder();
    if (ready.softState() != null) {
      text.append("Lead:").append(ready.softState().leader());
      text.append(" State:").append(role(ready.softState().role())).append('\n');
    }
    if (ready.hardState() != null) {
      text.append("HardState ").append(hardState(ready.hardState())).append('\n');
    }
    if (!ready.readStates().isEmpty()) {
      text.append("ReadStates ").append(readStates(ready.readStates())).append('\n');
    }
    if (!ready.entries().isEmpty()) {
      text.append("Entries:\n").append(entries(ready.entries()));
    }
    if (ready.snapshot() != null) {
      text.append("Snapshot ").append(snapshot(ready.snapshot())).append('\n');
    }
    if (!ready.committedEntries().isEmpty()) {
      text.append("CommittedEntries:\n").append(entries(ready.committedEntries()));
    }
    if (!ready.messages().isEmpty()) {
      text.append("Messages:\n");
      ready.messages().forEach(message -> text.append(message("", message)).append('\n'));
    }
    return text.isEmpty() ? "<empty Ready>" : "Ready MustSync=" + ready.mustSync() + ":\n" + text;
  }

  static String role(Role role) {
    return switch (role) {
      case FOLLOWER -> "StateFollower";
      case PRE_CANDIDATE -> "StatePreCandidate";
      case CANDIDATE -> "StateCandidate";
      case LEADER -> "StateLeader";
    };
  }

  private static String hardState(HardState state) {
    String vote = state.vote() == 0 ? "" : " Vote:" + state.vote();
    return "Term:" + state.term() + vote + " Commit:" + state.commit();
  }

  private static String readStates(List<ReadState> states) {
    return states.stream()
        .map(state -> "{" + state.index() + " " + numbers(state.context()) + "}")
        .collect(Collectors.joining(" ", "[", "]"));
  }

  private static String numbers(Bytes bytes) {
    StringBuilder text = new StringBuilder("[");
    for (byte each : bytes.unsafeArray()) {
      text.append(text.length() == 1 ? "" : " ").append(each & 0xff);
    }
    return text.append(']').toString();
  }

  static String entries(List<Entry> entries) {
    return entries.stream().map(each -> entry(each) + "\n").collect(Collectors.joining());
  }

  static String entry(Entry entry) {
    String data =
        entry.type() == EntryType.NORMAL
            ? "\"" + TextCodec.string(entry.data()) + "\""
            : TextCodec.text(CODEC.decode(entry).changes());
    String type =
        switch (entry.type()) {
          case NORMAL -> "EntryNormal";
          case CONF_CHANGE -> "EntryConfChange";
          case CONF_CHANGE_V2 -> "EntryConfChangeV2";
        };
    return entry.term() + "/" + entry.index() + " " + type + (data.isEmpty() ? "" : " " + data);
  }

  private static String snapshot(Snapshot snapshot) {
    ConfState state = snapshot.confState();
    return "Index:%d Term:%d ConfState:Voters:%s VotersOutgoing:%s Learners:%s LearnersNext:%s AutoLeave:%s"
        .formatted(
            snapshot.index(),
            snapshot.term(),
            ids(state.voters()),
            ids(state.votersOutgoing()),
            ids(state.learners()),
            ids(state.learnersNext()),
            state.autoLeave());
  }

  private static String ids(List<Long> ids) {
    return ids.stream().map(String::valueOf).collect(Collectors.joining(" ", "[", "]"));
  }

  /// The name of a message's type on the wire.
  static String type(Message message) {
    return switch (message) {
      case Message.Propose m -> "MsgProp";
      case Message.Append m -> "MsgApp";
      case Message.CommitIndex m -> "MsgApp(unanswered)";
      case Message.AppendResponse m -> "MsgAppResp";
      case Message.Vote m -> "MsgVote";
      case Message.VoteResponse m -> "MsgVoteResp";
      case Message.PreVote m -> "MsgPreVote";
      case Message.PreVoteResponse m -> "MsgPreVoteResp";
      case Message.InstallSnapshot m -> "MsgSnap";
      case Message.Heartbeat m -> "MsgHeartbeat";
      case Message.HeartbeatResponse m -> "MsgHeartbeatResp";
      case Message.TransferLeader m -> "MsgTransferLeader";
      case Message.TimeoutNow m -> "MsgTimeoutNow";
      case Message.ReadIndex m -> "MsgReadIndex";
      case Message.ReadIndexResponse m -> "MsgReadIndexResp";
      case Message.ForgetLeader m -> "MsgForgetLeader";
      case Message.Hup m -> "MsgHup";
      case Message.Beat m -> "MsgBeat";
      case Message.CheckQuorum m -> "MsgCheckQuorum";
      case Message.Unreachable m -> "MsgUnreachable";
      case Message.SnapshotStatus m -> "MsgSnapStatus";
      case Message.StorageAppend m -> "MsgStorageAppend";
      case Message.StorageAppendResponse m -> "MsgStorageAppendResp";
      case Message.StorageApply m -> "MsgStorageApply";
      case Message.StorageApplyResponse m -> "MsgStorageApplyResp";
    };
  }

  /// The fields of a message that are printed, under the names they have on the wire.
  private record Fields(
      long term,
      long logTerm,
      long index,
      boolean reject,
      long hint,
      long commit,
      long vote,
      List<Entry> entries,
      @Nullable Snapshot snapshot,
      List<Message> responses) {

    static Fields of(long term, long logTerm, long index) {
      return new Fields(term, logTerm, index, false, 0, 0, 0, List.of(), null, List.of());
    }

    Fields rejected(boolean rejected, long at) {
      return new Fields(
          term, logTerm, index, rejected, at, commit, vote, entries, snapshot, responses);
    }

    Fields committed(long to) {
      return new Fields(term, logTerm, index, reject, hint, to, vote, entries, snapshot, responses);
    }

    Fields carrying(List<Entry> added) {
      return new Fields(
          term, logTerm, index, reject, hint, commit, vote, added, snapshot, responses);
    }

    Fields snapshot(@Nullable Snapshot added) {
      return new Fields(
          term, logTerm, index, reject, hint, commit, vote, entries, added, responses);
    }

    Fields responses(List<Message> added) {
      return new Fields(term, logTerm, index, reject, hint, commit, vote, entries, snapshot, added);
    }

    Fields voted(long forNode) {
      return new Fields(
          term, logTerm, index, reject, hint, commit, forNode, entries, snapshot, responses);
    }
  }

  private static Fields fields(Message message) {
    long term = message.term();
    Fields plain = Fields.of(term, 0, 0);
    return switch (message) {
      case Message.Propose m -> plain.carrying(m.entries());
      case Message.Append m ->
          Fields.of(term, m.prevTerm(), m.prevIndex()).committed(m.commit()).carrying(m.entries());
      case Message.CommitIndex m ->
          Fields.of(term, m.prevTerm(), m.prevIndex()).committed(m.commit());
      case Message.AppendResponse m ->
          Fields.of(term, m.hintTerm(), m.index()).rejected(m.reject(), m.rejectHint());
      case Message.Vote m -> Fields.of(term, m.lastTerm(), m.lastIndex());
      case Message.VoteResponse m -> plain.rejected(m.reject(), 0);
      case Message.PreVote m -> Fields.of(term, m.lastTerm(), m.lastIndex());
      case Message.PreVoteResponse m -> plain.rejected(m.reject(), 0);
      case Message.InstallSnapshot m -> plain.snapshot(m.snapshot());
      case Message.Heartbeat m -> plain.committed(m.commit());
      case Message.ReadIndex m -> plain.carrying(request(m.context()));
      case Message.ReadIndexResponse m ->
          Fields.of(term, 0, m.index()).carrying(request(m.context()));
      case Message.SnapshotStatus m -> plain.rejected(m.reject(), 0);
      case Message.StorageAppend m -> {
        HardState state = m.hardState() == null ? HardState.EMPTY : m.hardState();
        yield Fields.of(state.term(), 0, 0)
            .committed(state.commit())
            .voted(state.vote())
            .carrying(m.entries())
            .snapshot(m.snapshot())
            .responses(m.responses());
      }
      case Message.StorageAppendResponse m ->
          Fields.of(term, m.logTerm(), m.index()).snapshot(m.snapshot());
      case Message.StorageApply m -> plain.carrying(m.entries()).responses(m.responses());
      case Message.StorageApplyResponse m -> plain.carrying(m.entries());
      case Message.HeartbeatResponse m -> plain;
      case Message.TransferLeader m -> plain;
      case Message.TimeoutNow m -> plain;
      case Message.ForgetLeader m -> plain;
      case Message.Hup m -> plain;
      case Message.Beat m -> plain;
      case Message.CheckQuorum m -> plain;
      case Message.Unreachable m -> plain;
    };
  }

  private static List<Entry> request(Bytes context) {
    return List.of(new Entry(0, 0, EntryType.NORMAL, context));
  }

  static String message(String indent, Message message) {
    Fields fields = fields(message);
    StringBuilder text = new StringBuilder(indent);
    text.append(target(message.from())).append("->").append(target(message.to())).append(' ');
    text.append(type(message)).append(" Term:").append(fields.term());
    text.append(" Log:").append(fields.logTerm()).append('/').append(fields.index());
    if (fields.reject()) {
      text.append(" Rejected (Hint: ").append(fields.hint()).append(')');
    }
    if (fields.commit() != 0) {
      text.append(" Commit:").append(fields.commit());
    }
    if (fields.vote() != 0) {
      text.append(" Vote:").append(fields.vote());
    }
    if (fields.entries().size() == 1) {
      text.append(" Entries:[").append(entry(fields.entries().getFirst())).append(']');
    } else if (!fields.entries().isEmpty()) {
      text.append(" Entries:[");
      fields.entries().forEach(e -> text.append("\n  ").append(indent).append(entry(e)));
      text.append('\n').append(indent).append(']');
    }
    if (fields.snapshot() != null) {
      text.append('\n').append(indent).append("  Snapshot: ").append(snapshot(fields.snapshot()));
    }
    if (!fields.responses().isEmpty()) {
      text.append(" Responses:[");
      fields.responses().forEach(r -> text.append('\n').append(message(indent + "  ", r)));
      text.append('\n').append(indent).append(']');
    }
    return text.toString();
  }

  private static String target(long id) {
    if (id == Message.LOCAL_APPEND_THREAD) {
      return "AppendThread";
    }
    if (id == Message.LOCAL_APPLY_THREAD) {
      return "ApplyThread";
    }
    return id == 0 ? "None" : Long.toHexString(id);
  }
}
