package dev.etcdj.raft;

import dev.etcdj.raft.log.Entry;
import dev.etcdj.raft.log.HardState;
import dev.etcdj.raft.log.Snapshot;
import dev.etcdj.raft.message.Message;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What the application must do next (RAFT-10).
///
/// With asynchronous storage writes, storage work stands in `messages` as
/// [Message.StorageAppend] and [Message.StorageApply], in order; `entries`, `hardState`,
/// `snapshot` and `committedEntries` only repeat it, and `advance` must not be called.
///
/// @param softState null when unchanged
/// @param hardState null when unchanged
/// @param snapshot null when none came in
/// @param mustSync there are entries, or term or vote changed (RAFT-11)
public record Ready(
    @Nullable SoftState softState,
    @Nullable HardState hardState,
    List<ReadState> readStates,
    List<Entry> entries,
    @Nullable Snapshot snapshot,
    List<Entry> committedEntries,
    List<Message> messages,
    boolean mustSync) {}
