package dev.etcdj.server.peer;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Asks a peer for the time every 4 s (LIM-51): its answer gives the round trip, and a warning
/// when the clocks are more than a second apart. Decides nothing.
final class Prober {
  private static final Logger log = LoggerFactory.getLogger(Prober.class);
  private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(4);
  private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final Duration MAX_DRIFT = Duration.ofSeconds(1);
  private static final Pattern NOW = Pattern.compile("\"Now\"\\s*:\\s*\"([^\"]{1,64})\"");

  private final RemotePeer peer;
  private final PeerContext context;
  private final EventLoop loop;
  private @Nullable Future<?> ticking;
  private boolean waiting;
  private boolean healthy = true;

  Prober(RemotePeer peer, PeerContext context) {
    this.peer = peer;
    this.context = context;
    this.loop = context.dialer().nextLoop();
  }

  void start() {
    ticking =
        loop.scheduleAtFixedRate(this::probe, INTERVAL_NANOS, INTERVAL_NANOS, TimeUnit.NANOSECONDS);
  }

  void stop() {
    if (ticking != null) {
      ticking.cancel(false);
    }
  }

  private void probe() {
    if (waiting) {
      return;
    }
    waiting = true;
    URI url = peer.urls().current();
    long began = context.nanoClock().getAsLong();
    context
        .client()
        .call(url, "GET", "/raft/probing", new byte[0], "", TIMEOUT_NANOS, 4096)
        .whenComplete(
            (response, failure) ->
                loop.execute(() -> answered(context.nanoClock().getAsLong() - began, response)));
  }

  private void answered(long roundTripNanos, PeerClient.@Nullable Response response) {
    waiting = false;
    boolean ok = response != null && response.status() == 200;
    if (ok != healthy) {
      healthy = ok;
      log.atWarn()
          .addKeyValue("remote-peer-id", Long.toHexString(peer.id()))
          .log(ok ? "prober finds the peer healthy again" : "prober detected unhealthy status");
    }
    if (!ok || response == null) {
      return;
    }
    peer.metrics().roundTrip(roundTripNanos);
    Matcher now = NOW.matcher(new String(response.body(), StandardCharsets.UTF_8));
    if (now.find()) {
      compareClocks(now.group(1), roundTripNanos);
    }
  }

  private void compareClocks(String theirs, long roundTripNanos) {
    Instant there;
    try {
      there = OffsetDateTime.parse(theirs).toInstant();
    } catch (DateTimeException unreadable) {
      return;
    }
    Instant here = context.wallClock().instant().minusNanos(roundTripNanos / 2);
    Duration drift = Duration.between(there, here).abs();
    if (drift.compareTo(MAX_DRIFT) > 0) {
      log.atWarn()
          .addKeyValue("remote-peer-id", Long.toHexString(peer.id()))
          .addKeyValue("clock-drift", drift)
          .addKeyValue("rtt", Duration.ofNanos(roundTripNanos))
          .log("prober found high clock drift");
    }
  }
}
