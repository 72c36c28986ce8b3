package dev.etcdj.conformance;

import dev.etcdj.server.Member;
import dev.etcdj.server.config.ConfigLoader;
import dev.etcdj.testkit.FreePorts;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// A member of ours inside this JVM, so that a fresh one costs little and runs warm code.
final class OwnServer extends Target {
  private final Member member;
  private final AtomicReference<@Nullable Throwable> failure;

  private OwnServer(
      Member member, AtomicReference<@Nullable Throwable> failure, Path folder, int clientPort) {
    super("etcd-j", folder, clientPort);
    this.member = member;
    this.failure = failure;
  }

  static OwnServer start() throws Exception {
    Path folder = newFolder("etcdj");
    int clientPort = FreePorts.next();
    String[] flags =
        flags(folder.resolve("data"), clientPort, FreePorts.next()).toArray(String[]::new);
    if (!(new ConfigLoader(Map.of(), "").load(flags) instanceof ConfigLoader.Request.Run run)) {
      throw new IllegalStateException("these flags do not run a member");
    }
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    return new OwnServer(Member.start(run.config(), failure::set), failure, folder, clientPort);
  }

  @Override
  void stop() {
    member.close();
    Throwable why = failure.get();
    if (why != null) {
      throw new AssertionError("the member has stopped by itself", why);
    }
  }
}
