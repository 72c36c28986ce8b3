package dev.etcdj.mvcc.txn;

import com.google.protobuf.ByteString;

/// One condition (KV-83..87): every live key in the range satisfies "stored (operator) given".
///
/// @param rangeEnd as in [dev.etcdj.mvcc.RangeQuery]
/// @param number operand of all targets but VALUE; 0 when the request named another (KV-86)
/// @param value operand of VALUE
public record Compare(
    ByteString key,
    ByteString rangeEnd,
    Target target,
    Operator operator,
    long number,
    ByteString value) {

  /// What is compared. UNKNOWN compares as equal (KV-87).
  public enum Target {
    VERSION,
    CREATE,
    MOD,
    VALUE,
    LEASE,
    UNKNOWN
  }

  /// How. UNKNOWN is true (KV-87).
  public enum Operator {
    EQUAL,
    GREATER,
    LESS,
    NOT_EQUAL,
    UNKNOWN
  }
}
