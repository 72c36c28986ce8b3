package dev.etcdj.wal.io;

/// The files of a member as the log sees them: the seam where a test loses, tears, stalls or
/// fails writes.
public interface FileStore {}
