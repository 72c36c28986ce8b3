package dev.etcdj.conformance;

import com.google.protobuf.ByteString;
import dev.etcdj.proto.etcdserverpb.Compare;
import dev.etcdj.proto.etcdserverpb.DeleteRangeRequest;
import dev.etcdj.proto.etcdserverpb.PutRequest;
import dev.etcdj.proto.etcdserverpb.RangeRequest;
import dev.etcdj.proto.etcdserverpb.RequestOp;
import dev.etcdj.proto.etcdserverpb.TxnRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.random.RandomGenerator;

/// Random requests of the KV service over a small set of keys, valid and invalid.
final class Requests {
  private static final ByteString ZERO = ByteString.copyFrom(new byte[1]);
  private static final int WIDE_KEYS = 60;
  private static final int LEASES = 6;
  private static final int TXN_DEPTH = 3;

  private final RandomGenerator random;
  private final boolean openDeletes;
  private final List<ByteString> keys = new ArrayList<>();

  /// @param wide whether there are so many keys that sorting and limits have something to do
  /// @param openDeletes whether a transaction may delete from a key on and put behind that (KV-77)
  Requests(RandomGenerator random, boolean wide, boolean openDeletes) {
    this.random = random;
    this.openDeletes = openDeletes;
    for (String key : List.of("a", "a\0", "aa", "ab", "b", "ba", "c", "d")) {
      keys.add(ByteString.copyFromUtf8(key));
    }
    keys.add(ByteString.copyFrom(new byte[] {(byte) 0xff}));
    keys.add(ByteString.copyFrom(new byte[] {(byte) 0xff, 0}));
    keys.add(ZERO);
    for (int i = 0; wide && i < WIDE_KEYS; i++) {
      keys.add(ByteString.copyFromUtf8(String.format(Locale.ROOT, "k%02d", i)));
    }
  }

  boolean chance(double probability) {
    return random.nextDouble() < probability;
  }

  private <T> T one(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  ByteString key() {
    return chance(0.01) ? ByteString.EMPTY : one(keys);
  }

  ByteString rangeEnd(ByteString key) {
    return switch (random.nextInt(10)) {
      case 0, 1, 2, 3 -> ByteString.EMPTY;
      case 4, 5 -> ZERO;
      case 6 -> key.concat(ZERO);
      default -> one(keys);
    };
  }

  private ByteString value() {
    return ByteString.copyFromUtf8(one(List.of("", "0", "1", "2", "v", "value")));
  }

  long lease() {
    return chance(0.05) ? -5 : 1 + random.nextInt(LEASES);
  }

  /// Mostly a revision that can be read.
  long revision() {
    return switch (random.nextInt(20)) {
      case 0 -> Revisions.fromCurrent(1 + random.nextInt(3));
      case 1 -> -1;
      case 2 -> 1;
      case 3, 4, 5 -> Revisions.fromBase(random.nextInt(12));
      case 6 -> Revisions.fromBase(-random.nextInt(40));
      case 7, 8, 9 -> 0;
      default -> Revisions.fromCurrent(-random.nextInt(25));
    };
  }

  RangeRequest range() {
    ByteString key = key();
    RangeRequest.Builder range =
        RangeRequest.newBuilder().setKey(key).setRangeEnd(rangeEnd(key)).setLimit(limit());
    if (chance(0.4)) {
      range.setRevision(revision());
    }
    if (chance(0.4)) {
      range.setSortOrderValue(chance(0.02) ? 3 : random.nextInt(3));
      range.setSortTargetValue(chance(0.02) ? 5 : random.nextInt(5));
    }
    if (chance(0.15)) {
      filter(range);
    }
    return range
        .setSerializable(chance(0.3))
        .setKeysOnly(chance(0.15))
        .setCountOnly(chance(0.1))
        .build();
  }

  private long limit() {
    return chance(0.6) ? 0 : one(List.of(1L, 2L, 3L, 5L, 13L, 1000L, -1L));
  }

  private void filter(RangeRequest.Builder range) {
    if (chance(0.4)) {
      range.setMinModRevision(revision());
    }
    if (chance(0.4)) {
      range.setMaxModRevision(revision());
    }
    if (chance(0.3)) {
      range.setMinCreateRevision(revision());
    }
    if (chance(0.3)) {
      range.setMaxCreateRevision(revision());
    }
  }

  PutRequest put() {
    return put(true);
  }

  private PutRequest put(boolean mayIgnore) {
    PutRequest.Builder put =
        PutRequest.newBuilder().setKey(key()).setPrevKv(chance(0.3)).setValue(value());
    if (chance(0.25)) {
      put.setLease(lease());
    }
    if (mayIgnore && chance(0.08)) {
      put.setIgnoreValue(true);
      if (chance(0.9)) {
        put.clearValue();
      }
    }
    if (mayIgnore && chance(0.08)) {
      put.setIgnoreLease(true);
      if (chance(0.9)) {
        put.clearLease();
      }
    }
    return put.build();
  }

  DeleteRangeRequest delete() {
    ByteString key = key();
    return DeleteRangeRequest.newBuilder()
        .setKey(key)
        .setRangeEnd(chance(0.6) ? ByteString.EMPTY : rangeEnd(key))
        .setPrevKv(chance(0.4))
        .build();
  }

  TxnRequest txn() {
    // A put with ignore_value behind a delete of "everything from here on" ends real etcd for
    // good (KV-77), so a transaction has one or the other.
    return txn(TXN_DEPTH, openDeletes && chance(0.5), chance(0.2));
  }

  private TxnRequest txn(int depth, boolean openDeletes, boolean readOnly) {
    TxnRequest.Builder txn = TxnRequest.newBuilder();
    for (int i = random.nextInt(3); i > 0; i--) {
      txn.addCompare(compare());
    }
    for (int i = random.nextInt(5); i > 0; i--) {
      txn.addSuccess(op(depth, openDeletes, readOnly));
    }
    for (int i = random.nextInt(4); i > 0; i--) {
      txn.addFailure(op(depth, openDeletes, readOnly));
    }
    return txn.build();
  }

  private RequestOp op(int depth, boolean openDeletes, boolean readOnly) {
    RequestOp.Builder op = RequestOp.newBuilder();
    int kind = readOnly ? 9 : random.nextInt(depth > 1 ? 14 : 12);
    if (chance(0.003)) {
      return op.build();
    }
    if (kind < 6) {
      op.setRequestPut(put(!openDeletes));
    } else if (kind < 8) {
      DeleteRangeRequest delete = delete();
      boolean open = delete.getRangeEnd().equals(ZERO);
      op.setRequestDeleteRange(
          open && !openDeletes ? delete.toBuilder().clearRangeEnd().build() : delete);
    } else if (kind < 12) {
      op.setRequestRange(range());
    } else {
      op.setRequestTxn(txn(depth - 1, openDeletes, false));
    }
    return op.build();
  }

  private Compare compare() {
    ByteString key = key();
    Compare.Builder compare = Compare.newBuilder().setKey(key);
    if (chance(0.3)) {
      compare.setRangeEnd(rangeEnd(key));
    }
    compare.setResultValue(chance(0.01) ? 4 : random.nextInt(4));
    int target = chance(0.01) ? 5 : random.nextInt(5);
    compare.setTargetValue(target);
    int operand = chance(0.03) ? random.nextInt(6) : target;
    switch (operand) {
      case 0 -> compare.setVersion(random.nextInt(4));
      case 1 -> compare.setCreateRevision(chance(0.3) ? 0 : revision());
      case 2 -> compare.setModRevision(chance(0.3) ? 0 : revision());
      case 3 -> compare.setValue(value());
      case 4 -> compare.setLease(chance(0.3) ? 0 : lease());
      default -> {
        // No operand counts as 0 or empty (KV-86).
      }
    }
    return compare.build();
  }
}
