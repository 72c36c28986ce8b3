package dev.etcdj.server.propose;

import dev.etcdj.proto.status.EtcdException;
import dev.etcdj.proto.status.RpcError;
import dev.etcdj.server.apply.ApplyResult;
import dev.etcdj.server.apply.Command;
import dev.etcdj.server.apply.LocalProposals;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// One request on its way through raft. Whoever takes it out of [Waiters] answers it, so it is
/// answered once, whatever comes first: its entry, its deadline, the client's cancel, the stop.
public final class Proposal implements LocalProposals.Taken, Runnable {
  private final Waiters waiters;
  private final @Nullable Command command;
  private final ProposalCallback callback;
  final long startNanos;
  // Set before the proposal becomes visible in the waiters.
  long id;
  // Set before the entry is handed to raft, from where the apply loop gets the entry.
  byte[] data = NO_DATA;

  private static final byte[] NO_DATA = new byte[0];

  Proposal(Waiters waiters, @Nullable Command command, ProposalCallback callback, long startNanos) {
    this.waiters = waiters;
    this.command = command;
    this.callback = callback;
    this.startNanos = startNanos;
  }

  /// Nobody wants the answer any more. The entry may still be applied (KV-28). Any thread.
  public void cancel() {
    waiters.remove(this);
  }

  void refuse(EtcdException why) {
    if (waiters.remove(this)) {
      callback.done(new ApplyResult.Refused(why));
    }
  }

  /// Raft has dropped it (KV-27).
  @Override
  public void run() {
    refuse(RpcError.PROPOSAL_DROPPED.exception());
  }

  @Override
  public @Nullable Command commandOf(byte[] entryData) {
    // On the leader it is the very array, elsewhere one that has been to the leader and back.
    return Arrays.equals(entryData, data) ? command : null;
  }

  @Override
  public void done(ApplyResult result) {
    callback.done(result);
  }
}
