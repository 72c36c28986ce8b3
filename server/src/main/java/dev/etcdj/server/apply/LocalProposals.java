package dev.etcdj.server.apply;

import org.jspecify.annotations.Nullable;

/// The requests of this member that wait for their entry. Only the proposing member has one
/// (RAFT-123).
@FunctionalInterface
public interface LocalProposals {
  /// Takes the one of that request id, or null. Whoever takes it answers it.
  @Nullable Taken take(long id);

  /// A waiting request.
  interface Taken {
    /// What `entryData` says, if it is known without decoding.
    @Nullable Command commandOf(byte[] entryData);

    /// The answer.
    void done(ApplyResult result);
  }
}
