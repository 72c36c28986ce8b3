package dev.etcdj.client.kv;

/// Reads a range of keys at one revision.
///
/// @param limit most pairs to return; 0: no limit
/// @param revision revision to read at; 0: the newest
/// @param sort order of the pairs
/// @param content what of each pair is wanted
/// @param serializable answered by the member from what it has, which may be old
/// @param bounds leaves out pairs outside; counting ignores it
/// Source: etcdserverpb.RangeRequest.
public record GetRequest(
    KeyRange range,
    long limit,
    long revision,
    Sort sort,
    Content content,
    boolean serializable,
    RevisionBounds bounds)
    implements Op {

  /// What to return of each pair.
  public enum Content {
    PAIRS,
    KEYS_ONLY,
    COUNT_ONLY
  }

  /// Direction of the order.
  public enum SortOrder {
    NONE,
    ASCEND,
    DESCEND
  }

  /// What to order by.
  public enum SortTarget {
    KEY,
    VERSION,
    CREATE,
    MOD,
    VALUE
  }

  /// Order of the pairs; NONE by KEY is the store's own, ascending by key.
  public record Sort(SortOrder order, SortTarget target) {
    /// The store's own order.
    public static final Sort NATURAL = new Sort(SortOrder.NONE, SortTarget.KEY);
  }

  /// Inclusive bounds; 0: none.
  public record RevisionBounds(long minMod, long maxMod, long minCreate, long maxCreate) {
    /// Leaves nothing out.
    public static final RevisionBounds NONE = new RevisionBounds(0, 0, 0, 0);
  }

  /// The newest pairs of `range`, linearizable.
  public static GetRequest of(KeyRange range) {
    return new GetRequest(range, 0, 0, Sort.NATURAL, Content.PAIRS, false, RevisionBounds.NONE);
  }

  /// Changes the limit.
  public GetRequest withLimit(long value) {
    return new GetRequest(range, value, revision, sort, content, serializable, bounds);
  }

  /// Changes the revision.
  public GetRequest withRevision(long value) {
    return new GetRequest(range, limit, value, sort, content, serializable, bounds);
  }

  /// Changes the order.
  public GetRequest withSort(SortOrder order, SortTarget target) {
    Sort value = new Sort(order, target);
    return new GetRequest(range, limit, revision, value, content, serializable, bounds);
  }

  /// Changes what is wanted of each pair.
  public GetRequest withContent(Content value) {
    return new GetRequest(range, limit, revision, sort, value, serializable, bounds);
  }

  /// Changes whether an old answer will do.
  public GetRequest withSerializable(boolean value) {
    return new GetRequest(range, limit, revision, sort, content, value, bounds);
  }

  /// Changes the bounds.
  public GetRequest withBounds(RevisionBounds value) {
    return new GetRequest(range, limit, revision, sort, content, serializable, value);
  }
}
