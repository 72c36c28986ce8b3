package dev.etcdj.server.peer;

import dev.etcdj.raft.log.Snapshot;
import java.io.IOException;
import java.io.OutputStream;

/// The applied state as a snapshot that can be sent: metadata now, contents on demand.
public interface SnapshotSource extends AutoCloseable {
  /// Index, term and configuration of the contents.
  Snapshot metadata();

  /// Length of the contents in bytes.
  long bytes();

  /// Writes the contents: a bbolt file (peer protocol, snapshot transfer).
  void writeTo(OutputStream out) throws IOException;

  @Override
  void close();
}
