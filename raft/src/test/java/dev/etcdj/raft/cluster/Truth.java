package dev.etcdj.raft.cluster;

import dev.etcdj.raft.log.Bytes;
import dev.etcdj.raft.log.Entry;
import dev.etcdj.raft.log.EntryType;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/// What a spectator who sees every node at once knows, and what may never contradict it: the five
/// guarantees of figure 3.2 of the thesis.
final class Truth {
  private record EntryId(long term, long index) {}

  private record Content(EntryType type, Bytes data, long previousTerm) {}

  /// An entry as first applied, and the term of the node that did.
  private record Applied(Entry entry, long seenInTerm) {}

  private final Map<Long, Long> leaders = new HashMap<>();
  private final Map<EntryId, Content> written = new HashMap<>();
  private final TreeMap<Long, Applied> applied = new TreeMap<>();

  /// Election safety: one leader a term. Leader completeness: it has all that was committed in
  /// earlier terms.
  void becameLeader(SimNode node, long term) {
    Long other = leaders.putIfAbsent(term, node.id);
    require(other == null || other == node.id, "two leaders in term %d".formatted(term));
    if (other != null) {
      return;
    }
    applied.forEach(
        (index, known) -> {
          if (known.seenInTerm() < term) {
            long has = node.termInWholeLog(index);
            require(
                has == SimNode.COMPACTED || has == known.entry().term(),
                "leader %d of term %d has term %d at committed index %d of term %d"
                    .formatted(node.id, term, has, index, known.entry().term()));
          }
        });
  }

  /// Log matching: an index and a term name one entry, and one predecessor.
  void wrote(Entry entry, long previousTerm) {
    Content content = new Content(entry.type(), entry.data(), previousTerm);
    Content other = written.putIfAbsent(new EntryId(entry.term(), entry.index()), content);
    require(
        other == null || other.equals(content),
        "two entries %d/%d".formatted(entry.term(), entry.index()));
  }

  /// State machine safety: nobody applies another entry at this index.
  void applied(SimNode node, Entry entry, long nodeTerm) {
    Applied other = applied.putIfAbsent(entry.index(), new Applied(entry, nodeTerm));
    require(
        other == null || other.entry().equals(entry),
        "node %d applies %s, another applied %s"
            .formatted(node.id, entry, other == null ? null : other.entry()));
  }

  /// A snapshot stands for entries that were applied by somebody.
  void installed(SimNode node, long index, long term) {
    Applied known = applied.get(index);
    require(
        known != null && known.entry().term() == term,
        "node %d installs %d/%d, which nobody applied".formatted(node.id, term, index));
  }

  long highestApplied() {
    return applied.isEmpty() ? 0 : applied.lastKey();
  }

  int leadersSeen() {
    return leaders.size();
  }

  static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new AssertionError(otherwise);
    }
  }
}
