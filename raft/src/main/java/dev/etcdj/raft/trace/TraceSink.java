package dev.etcdj.raft.trace;

/// Receives what a node does; logs, metrics and the simulator subscribe. Called on the node's
/// thread; must not call back into the node.
@FunctionalInterface
public interface TraceSink {
  /// Drops everything.
  TraceSink NONE = (node, term, event) -> {};

  /// @param node id of the node
  /// @param term its term after the event
  /// @param event one line, without values or credentials
  void event(long node, long term, String event);
}
