package dev.etcdj.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/// Versions, from the one file that the launcher reads too.
public final class Version {
  private static final Properties VERSIONS = load();

  /// The API level told to clients and peers.
  public static final String ETCD = VERSIONS.getProperty("etcd");

  /// Our own version.
  public static final String OWN = VERSIONS.getProperty("etcd-j");

  private Version() {}

  /// What `--version` prints.
  public static String text() {
    return "etcd Version: %s%netcd-j Version: %s%n".formatted(ETCD, OWN);
  }

  private static Properties load() {
    try (InputStream in = Version.class.getResourceAsStream("version.properties")) {
      Properties properties = new Properties();
      properties.load(in);
      return properties;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
