package dev.etcdj.client.kv;

import com.google.protobuf.ByteString;

/// A condition of a transaction. Over a range it must hold for every key there.
///
/// @param relation how the stored side stands to `operand`
/// Source: etcdserverpb.Compare.
public record Compare(KeyRange range, Relation relation, Operand operand) {
  /// How the stored side must stand to the operand.
  public enum Relation {
    EQUAL,
    GREATER,
    LESS,
    NOT_EQUAL
  }

  /// What is compared, and with what.
  public sealed interface Operand {}

  /// The key's version; 0: it does not exist.
  public record Version(long version) implements Operand {}

  /// The revision that created the key; 0: it does not exist.
  public record CreateRevision(long revision) implements Operand {}

  /// The revision that changed the key last; 0: it does not exist.
  public record ModRevision(long revision) implements Operand {}

  /// The value. A key that does not exist fails the comparison.
  public record Value(ByteString value) implements Operand {}

  /// The lease's id; 0: none.
  public record LeaseId(long id) implements Operand {}

  /// A condition on one key.
  public static Compare key(ByteString key, Relation relation, Operand operand) {
    return new Compare(KeyRange.single(key), relation, operand);
  }
}
