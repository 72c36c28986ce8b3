package dev.etcdj.server.logging;

import org.slf4j.Marker;
import org.slf4j.MarkerFactory;

/// Marks of log lines.
public final class Markers {
  /// The process ends after this line.
  public static final Marker FATAL = MarkerFactory.getMarker("FATAL");

  private Markers() {}
}
