package dev.etcdj.robustness;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.protobuf.ByteString;
import dev.etcdj.proto.etcdserverpb.KVGrpc;
import dev.etcdj.proto.etcdserverpb.PutRequest;
import dev.etcdj.proto.etcdserverpb.PutResponse;
import dev.etcdj.proto.etcdserverpb.ResponseHeader;
import dev.etcdj.testkit.FreePorts;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Guarantee: no acknowledgement leaves the process before the fdatasync that covers its entry has
/// returned, and puts that come together share fdatasyncs (RAFT-114).
///
/// Method: strace follows all threads of a single member. Values carry a marker, so the write of an
/// entry to the log and the write of an answer to a socket can be told in the trace. Needs strace.
class FsyncOrderTest {
  private static final Pattern LINE =
      Pattern.compile("^(\\d+) +([0-9.]+) (?:<\\.\\.\\. )?([a-z0-9_]+)(.*)$");
  private static final Set<String> LOG_WRITE = Set.of("pwrite64", "pwritev", "pwritev2");
  private static final Set<String> SOCKET_WRITE = Set.of("sendmsg", "writev", "sendto", "write");
  private static final int PUTS = 20;

  /// @param start seconds at entry or at resumption
  private record Call(String thread, double start, String name, String rest) {}

  @Test
  void everyAnswerFollowsItsFdatasync(@TempDir Path folder) throws Exception {
    Path trace = folder.resolve("trace");
    long clusterId = 0;
    try (Traced member = new Traced(folder, trace)) {
      for (int i = 0; i < PUTS; i++) {
        clusterId = member.put("one-" + i).getHeader().getClusterId();
      }
    }
    List<Call> calls = read(trace);
    // Every answer's header holds the cluster's id; nothing else that is sent does.
    String answer = hex(ResponseHeader.newBuilder().setClusterId(clusterId).build().toByteArray());
    for (int i = 0; i < PUTS; i++) {
      int logged = indexOf(calls, 0, LOG_WRITE, hex("one-" + i + ";"));
      assertTrue(logged >= 0, "the log write of put " + i + " is not in the trace");
      int synced = syncedAfter(calls, logged);
      int answered = indexOf(calls, logged, SOCKET_WRITE, answer);
      assertTrue(synced >= 0 && answered >= 0, "put " + i + " was not synced or not answered");
      assertTrue(synced < answered, "put " + i + " was answered before its fdatasync returned");
    }
  }

  @Test
  void concurrentPutsShareFdatasyncs(@TempDir Path folder) throws Exception {
    Path trace = folder.resolve("trace");
    int puts = 100;
    int bursts = 5;
    try (Traced member = new Traced(folder, trace)) {
      for (int burst = 0; burst < bursts; burst++) {
        List<ListenableFuture<?>> answers = new ArrayList<>();
        for (int i = 0; i < puts; i++) {
          answers.add(member.putAsync("burst-" + burst + "-" + i));
        }
        for (var answer : answers) {
          answer.get(30, TimeUnit.SECONDS);
        }
      }
    }
    List<Call> calls = read(trace);
    long fewest = Long.MAX_VALUE;
    for (int burst = 0; burst < bursts; burst++) {
      fewest = Math.min(fewest, syncsOf(calls, "burst-" + burst + "-"));
    }
    System.out.println(puts + " puts shared " + fewest + " fdatasyncs");
    // The first bursts meet a cold JVM, whose requests trickle in.
    assertTrue(fewest <= puts / 4, puts + " puts took " + fewest + " fdatasyncs at best");
  }

  private static long syncsOf(List<Call> calls, String text) {
    int first = indexOf(calls, 0, LOG_WRITE, hex(text));
    int last = lastIndexOf(calls, LOG_WRITE, hex(text));
    return calls.subList(first, syncedAfter(calls, last) + 1).stream()
        .filter(call -> call.name().equals("fdatasync") && returned(call))
        .count();
  }

  /// Index of the line on which the next fdatasync after `from` returned.
  private static int syncedAfter(List<Call> calls, int from) {
    for (int i = from + 1; i < calls.size(); i++) {
      if (calls.get(i).name().equals("fdatasync") && returned(calls.get(i))) {
        return i;
      }
    }
    return -1;
  }

  private static boolean returned(Call call) {
    return call.rest().contains("= 0");
  }

  private static int indexOf(List<Call> calls, int from, Set<String> names, String text) {
    for (int i = from; i < calls.size(); i++) {
      if (names.contains(calls.get(i).name()) && calls.get(i).rest().contains(text)) {
        return i;
      }
    }
    return -1;
  }

  private static int lastIndexOf(List<Call> calls, Set<String> names, String text) {
    int last = -1;
    for (int i = indexOf(calls, 0, names, text); i >= 0; i = indexOf(calls, i + 1, names, text)) {
      last = i;
    }
    return last;
  }

  private static String hex(String text) {
    return hex(text.getBytes(StandardCharsets.UTF_8));
  }

  /// As `strace -xx` prints bytes.
  private static String hex(byte[] bytes) {
    StringBuilder text = new StringBuilder();
    for (byte b : bytes) {
      text.append("\\x").append(HexFormat.of().toHexDigits(b));
    }
    return text.toString();
  }

  private static List<Call> read(Path trace) throws IOException {
    List<Call> calls = new ArrayList<>();
    for (String line : Files.readAllLines(trace, StandardCharsets.ISO_8859_1)) {
      Matcher matcher = LINE.matcher(line);
      if (matcher.matches()) {
        calls.add(
            new Call(
                matcher.group(1),
                Double.parseDouble(matcher.group(2)),
                matcher.group(3),
                matcher.group(4)));
      }
    }
    return calls;
  }

  /// A single member under strace, with one client.
  private static final class Traced implements AutoCloseable {
    private final MemberProcess member;
    private final ManagedChannel channel;

    Traced(Path folder, Path trace) throws Exception {
      assumeTrue(Files.isExecutable(Path.of("/usr/bin/strace")), "needs strace");
      int port = FreePorts.next();
      String client = "http://127.0.0.1:" + port;
      String peer = "http://127.0.0.1:" + FreePorts.next();
      member =
          new MemberProcess(
              folder.resolve("log"),
              client,
              List.of(
                  "strace",
                  "-f",
                  "-ttt",
                  "-xx",
                  "-s",
                  "4096",
                  "-o",
                  trace.toString(),
                  "-e",
                  "trace=fdatasync,pwrite64,pwritev,pwritev2,sendmsg,writev,sendto,write"),
              List.of(
                  "--data-dir", folder.resolve("data").toString(),
                  "--listen-client-urls", client,
                  "--advertise-client-urls", client,
                  "--listen-peer-urls", peer,
                  "--initial-advertise-peer-urls", peer,
                  "--initial-cluster", "default=" + peer));
      member.start();
      member.awaitHealthy(Duration.ofSeconds(180));
      channel = NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
    }

    PutResponse put(String value) throws Exception {
      return putAsync(value).get(30, TimeUnit.SECONDS);
    }

    ListenableFuture<PutResponse> putAsync(String value) {
      return KVGrpc.newFutureStub(channel)
          .put(
              PutRequest.newBuilder()
                  .setKey(ByteString.copyFromUtf8("k"))
                  .setValue(ByteString.copyFromUtf8(value + ";"))
                  .build());
    }

    @Override
    public void close() throws Exception {
      channel.shutdownNow();
      member.terminate();
    }
  }
}
