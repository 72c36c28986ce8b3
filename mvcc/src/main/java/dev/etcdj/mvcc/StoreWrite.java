package dev.etcdj.mvcc;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import dev.etcdj.mvcc.backend.Backend;
import dev.etcdj.mvcc.backend.Bucket;
import dev.etcdj.mvcc.backend.ReadView;
import dev.etcdj.mvcc.backend.WriteUnit;
import dev.etcdj.mvcc.index.IndexView;
import dev.etcdj.mvcc.index.KeyIndex;
import dev.etcdj.mvcc.index.KeyRange;
import dev.etcdj.mvcc.schema.RevisionKey;
import dev.etcdj.mvcc.txn.Op;
import dev.etcdj.mvcc.txn.OpResult;
import dev.etcdj.mvcc.txn.Txn;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The one open write. Changes go into the writer's index and the unit as they happen; readers see
/// neither before [#commit]. What is refused is refused before the first change, because a change
/// is never taken back.
final class StoreWrite implements WriteTxn, Reading {
  private final KvStore store;
  private final Published before;
  private final KeyIndex index;
  private final Backend backend;
  private final LeaseBook leases;
  private final WriteUnit unit;

  /// The change with sub revision i is at i.
  private final List<Event> events = new ArrayList<>(1);

  private @Nullable ReadView view;
  private boolean ended;

  StoreWrite(KvStore store, Published before, KeyIndex index, Backend backend, LeaseBook leases) {
    this.store = store;
    this.before = before;
    this.index = index;
    this.backend = backend;
    this.leases = leases;
    this.unit = backend.begin();
  }

  @Override
  public WriteUnit unit() {
    return unit;
  }

  @Override
  public OpResult.Put put(Op.Put put) {
    WriteChecks.checkPut(this, leases, put);
    return execute(put);
  }

  @Override
  public OpResult.DeleteRange deleteRange(Op.DeleteRange delete) {
    return execute(delete);
  }

  @Override
  public OpResult.Nested txn(Txn txn) {
    TxnPlan plan = TxnPlan.of(this, txn);
    WriteChecks.check(this, leases, plan.flattened());
    return execute(plan);
  }

  @Override
  public long revision() {
    return events.isEmpty() ? before.revision() : newMain();
  }

  boolean hasChanged() {
    return !events.isEmpty();
  }

  @Override
  public long commit() {
    end();
    long position = unit.publish();
    if (events.isEmpty()) {
      store.endUnchanged();
    } else {
      store.publish(newMain(), Collections.unmodifiableList(events));
    }
    return position;
  }

  @Override
  public void abandon() {
    if (!events.isEmpty()) {
      throw new InvariantViolation("write of revision " + newMain() + " abandoned after a change");
    }
    end();
    store.endUnchanged();
  }

  @Override
  public IndexView index() {
    return index.working();
  }

  @Override
  public long compacted() {
    return before.compacted();
  }

  @Override
  public byte[] value(long main, int sub) {
    if (main == newMain()) {
      return events.get(sub).keyValue();
    }
    ReadView from = view;
    if (from == null) {
      from = backend.read();
      view = from;
    }
    byte[] value = from.get(Bucket.KEY, RevisionKey.encode(main, sub, false));
    if (value == null) {
      throw new InvariantViolation("no value at revision " + main + "_" + sub);
    }
    return value;
  }

  private OpResult.Nested execute(TxnPlan plan) {
    List<OpResult> responses = new ArrayList<>(plan.ops().size());
    int child = 0;
    for (Op op : plan.ops()) {
      responses.add(
          switch (op) {
            case Op.Range range -> new OpResult.Range(RangeReader.read(this, range.query()));
            case Op.Put put -> execute(put);
            case Op.DeleteRange delete -> execute(delete);
            case Op.Nested ignored -> execute(plan.nested().get(child++));
          });
    }
    return new OpResult.Nested(revision(), plan.succeeded(), responses);
  }

  private OpResult.Put execute(Op.Put put) {
    byte[] key = put.key().toByteArray();
    KeyIndex.Put change = index.put(key, newMain(), events.size());
    byte[] previous = null;
    ByteString value = put.value();
    long lease = put.lease();
    if ((put.prevKv() || put.ignoreValue() || put.ignoreLease()) && !change.created()) {
      previous = value(change.previousMain(), change.previousSub());
      WireKeyValue stored =
          put.ignoreValue() || put.ignoreLease() ? WireKeyValue.parse(previous) : null;
      value = stored != null && put.ignoreValue() ? stored.value() : value;
      lease = stored != null && put.ignoreLease() ? stored.lease() : lease;
    }
    byte[] raw =
        WireKeyValue.encode(key, change.create(), newMain(), change.version(), value, lease);
    // A new key hangs on no lease yet, so there is none to take it from.
    if (!put.ignoreLease() && (lease != 0 || !change.created())) {
      leases.attach(put.key(), lease);
    }
    record(put.key(), false, change.created(), raw);
    return new OpResult.Put(revision(), put.prevKv() ? previous : null);
  }

  private OpResult.DeleteRange execute(Op.DeleteRange delete) {
    List<byte[]> keys = new ArrayList<>();
    List<byte[]> previous = new ArrayList<>();
    index
        .working()
        .scan(
            KeyRange.of(delete.key(), delete.rangeEnd()),
            IndexView.NEWEST,
            hit -> {
              keys.add(hit.key());
              if (delete.prevKv()) {
                previous.add(value(hit.modMain(), hit.modSub()));
              }
              return true;
            });
    for (byte[] key : keys) {
      index.delete(key, newMain(), events.size());
      ByteString shared = UnsafeByteOperations.unsafeWrap(key);
      leases.attach(shared, 0);
      record(shared, true, false, WireKeyValue.encodeTombstone(key));
    }
    return new OpResult.DeleteRange(revision(), keys.size(), previous);
  }

  private void record(ByteString key, boolean delete, boolean created, byte[] raw) {
    int sub = events.size();
    unit.put(Bucket.KEY, RevisionKey.encode(newMain(), sub, delete), raw);
    events.add(new Event(key, new Revision(newMain(), sub), delete, created, raw));
  }

  private long newMain() {
    return before.revision() + 1;
  }

  private void end() {
    if (ended) {
      throw new InvariantViolation("write ended twice");
    }
    ended = true;
    if (view != null) {
      view.close();
    }
  }
}
