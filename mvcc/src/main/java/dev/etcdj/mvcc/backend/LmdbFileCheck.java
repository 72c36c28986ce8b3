package dev.etcdj.mvcc.backend;

import java.nio.file.Path;

final class LmdbFileCheck {
  private LmdbFileCheck() {}

  static void check(Path file, long mapBytes) {}
}
