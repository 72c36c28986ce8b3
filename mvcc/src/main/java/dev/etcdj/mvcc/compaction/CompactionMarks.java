package dev.etcdj.mvcc.compaction;

import dev.etcdj.mvcc.backend.Bucket;
import dev.etcdj.mvcc.backend.ReadView;
import dev.etcdj.mvcc.backend.WriteUnit;
import dev.etcdj.mvcc.schema.RevisionKey;
import java.nio.charset.StandardCharsets;

/// How far compaction has come, in bucket `meta`: the revision asked for and the revision done,
/// each as a 17-byte revision key with sub 0 (KV-102, KV-104).
///
/// @param scheduled -1 for none
/// @param finished -1 for none
public record CompactionMarks(long scheduled, long finished) {
  private static final byte[] SCHEDULED = ascii("scheduledCompactRev");
  private static final byte[] FINISHED = ascii("finishedCompactRev");

  public static CompactionMarks read(ReadView view) {
    return new CompactionMarks(revision(view, SCHEDULED), revision(view, FINISHED));
  }

  public static void putScheduled(WriteUnit unit, long revision) {
    unit.put(Bucket.META, SCHEDULED.clone(), RevisionKey.encode(revision, 0, false));
  }

  public static void putFinished(WriteUnit unit, long revision) {
    unit.put(Bucket.META, FINISHED.clone(), RevisionKey.encode(revision, 0, false));
  }

  /// Revision before which nothing can be read.
  public long compacted() {
    return Math.max(scheduled, finished);
  }

  private static long revision(ReadView view, byte[] mark) {
    byte[] value = view.get(Bucket.META, mark);
    return value == null ? -1 : RevisionKey.main(value);
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
