package dev.etcdj.server.agent;

import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/// A part that has an agent's methods but knows nothing of this module.
public record Part(String name, BooleanSupplier work, LongSupplier due) implements Agent {
  @Override
  public boolean doWork() {
    return work.getAsBoolean();
  }

  @Override
  public long nanosUntilDue() {
    return due.getAsLong();
  }
}
