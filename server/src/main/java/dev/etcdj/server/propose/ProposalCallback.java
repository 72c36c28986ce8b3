package dev.etcdj.server.propose;

import dev.etcdj.server.apply.ApplyResult;

/// Receives the one answer to a proposal.
@FunctionalInterface
public interface ProposalCallback {
  /// Called once, on the apply loop when the entry was applied, else on whatever thread found out
  /// that it will not be. Must be cheap and must not block.
  void done(ApplyResult result);
}
