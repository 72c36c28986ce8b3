package dev.etcdj.client.transport;

import io.grpc.ChannelCredentials;
import io.grpc.TlsChannelCredentials;
import java.io.File;
import java.io.IOException;
import java.security.cert.X509Certificate;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/// How to talk TLS. Every file is PEM.
///
/// @param caFile authorities to trust; null: those of the JDK
/// @param certFile the client's certificate chain; null: none is shown
/// @param keyFile its PKCS#8 key; needed with `certFile`
/// @param skipVerify takes any server certificate: for tests only
public record TlsOptions(
    @Nullable File caFile, @Nullable File certFile, @Nullable File keyFile, boolean skipVerify) {
  /// The JDK's authorities and no client certificate.
  public static final TlsOptions SYSTEM = new TlsOptions(null, null, null, false);

  /// @throws IOException when a file cannot be read
  ChannelCredentials credentials() throws IOException {
    TlsChannelCredentials.Builder builder = TlsChannelCredentials.newBuilder();
    if (skipVerify) {
      builder.trustManager(new TrustManager[] {new TrustAll()});
    } else if (caFile != null) {
      builder.trustManager(caFile);
    }
    if (certFile != null && keyFile != null) {
      builder.keyManager(certFile, keyFile);
    }
    return builder.build();
  }

  /// What `skipVerify` asks for.
  private static final class TrustAll implements X509TrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
