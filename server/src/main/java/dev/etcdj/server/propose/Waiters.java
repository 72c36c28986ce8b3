package dev.etcdj.server.propose;

import dev.etcdj.server.apply.LocalProposals;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Proposals that wait for their entry, by request id. A ring: ids count up, so an id's slot is
/// its lower bits, and one that is still taken by a slow request is skipped with its id. Bounded
/// by the ring; no locks, no boxes, no nodes.
public final class Waiters implements LocalProposals {
  private static final int PROBES = 64;

  private final RequestIds ids;
  private final AtomicReferenceArray<@Nullable Proposal> slots;
  private final int mask;

  /// @param capacity a power of two
  public Waiters(RequestIds ids, int capacity) {
    if (Integer.bitCount(capacity) != 1) {
      throw new IllegalArgumentException("capacity " + capacity + " is no power of two");
    }
    this.ids = ids;
    this.slots = new AtomicReferenceArray<>(capacity);
    this.mask = capacity - 1;
  }

  /// Gives `proposal` an id and keeps it.
  ///
  /// @return false when too many are waiting; nothing was kept
  boolean register(Proposal proposal) {
    for (int i = 0; i < PROBES; i++) {
      long id = ids.next();
      proposal.id = id;
      if (slots.compareAndSet(slot(id), null, proposal)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public @Nullable Proposal take(long id) {
    int slot = slot(id);
    Proposal proposal = slots.get(slot);
    return proposal != null && proposal.id == id && slots.compareAndSet(slot, proposal, null)
        ? proposal
        : null;
  }

  /// Whether the caller is the one that took it out.
  boolean remove(Proposal proposal) {
    return slots.compareAndSet(slot(proposal.id), proposal, null);
  }

  /// Visits all that wait. Sees what is registered meanwhile or not.
  void forEach(Consumer<Proposal> visitor) {
    for (int i = 0; i <= mask; i++) {
      Proposal proposal = slots.getPlain(i) == null ? null : slots.get(i);
      if (proposal != null) {
        visitor.accept(proposal);
      }
    }
  }

  /// How many wait, by counting: for metrics.
  public int count() {
    int count = 0;
    for (int i = 0; i <= mask; i++) {
      if (slots.get(i) != null) {
        count++;
      }
    }
    return count;
  }

  private int slot(long id) {
    return (int) id & mask;
  }
}
