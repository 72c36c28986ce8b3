package dev.etcdj.client.kv;

/// Deletes a range of keys.
///
/// @param prevKv whether to return the deleted pairs
/// Source: etcdserverpb.DeleteRangeRequest.
public record DeleteRequest(KeyRange range, boolean prevKv) implements Op {
  /// A deletion that returns only how many.
  public static DeleteRequest of(KeyRange range) {
    return new DeleteRequest(range, false);
  }
}
