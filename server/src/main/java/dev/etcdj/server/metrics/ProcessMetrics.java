package dev.etcdj.server.metrics;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/// What the operating system says of this process (process_*, os_*). Linux has all of it; where
/// something cannot be read it stays 0.
final class ProcessMetrics {
  private static final Path STATUS = Path.of("/proc/self/status");
  private static final Path LIMITS = Path.of("/proc/self/limits");
  private static final double UNLIMITED = 18446744073709551615.0;

  ProcessMetrics(Registry registry) {
    if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
      registry.counter(
          "process_cpu_seconds_total",
          "Total user and system CPU time spent in seconds.",
          () -> system.getProcessCpuTime() / 1e9);
      registry
          .gauge("process_open_fds", "Number of open file descriptors.")
          .bind(system::getOpenFileDescriptorCount);
      registry
          .gauge("process_max_fds", "Maximum number of open file descriptors.")
          .bind(system::getMaxFileDescriptorCount);
      registry
          .gauge("os_fd_used", "The number of used file descriptors.")
          .bind(system::getOpenFileDescriptorCount);
      registry
          .gauge("os_fd_limit", "The file descriptor limit.")
          .bind(system::getMaxFileDescriptorCount);
    }
    long startMillis = ManagementFactory.getRuntimeMXBean().getStartTime();
    registry
        .gauge(
            "process_start_time_seconds", "Start time of the process since unix epoch in seconds.")
        .bind(() -> startMillis / 1000.0);
    registry
        .gauge("process_resident_memory_bytes", "Resident memory size in bytes.")
        .bind(() -> number(STATUS, "VmRSS:", 1) * 1024);
    registry
        .gauge("process_virtual_memory_bytes", "Virtual memory size in bytes.")
        .bind(() -> number(STATUS, "VmSize:", 1) * 1024);
    registry
        .gauge(
            "process_virtual_memory_max_bytes",
            "Maximum amount of virtual memory available in bytes.")
        .bind(() -> number(LIMITS, "Max address space", 3));
  }

  /// The word at `position` of the line that begins so.
  private static double number(Path file, String line, int position) {
    try {
      for (String text : Files.readAllLines(file)) {
        if (text.startsWith(line)) {
          String word = text.strip().split("\\s+", -1)[position].toLowerCase(Locale.ROOT);
          return word.equals("unlimited") ? UNLIMITED : Double.parseDouble(word);
        }
      }
    } catch (IOException | NumberFormatException unreadable) {
      return 0;
    }
    return 0;
  }
}
