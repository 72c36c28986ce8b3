package dev.etcdj.wal.segment;

import dev.etcdj.wal.io.StoredFile;
import java.nio.file.Path;

/// An open, locked segment.
public record Segment(SegmentName name, Path path, StoredFile file) {}
