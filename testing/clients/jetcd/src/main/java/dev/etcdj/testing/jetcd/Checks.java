package dev.etcdj.testing.jetcd;

import io.etcd.jetcd.ByteSequence;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/// What every part of the program asserts with. All methods may be called by any thread.
final class Checks {
    private static int passed;
    private static int failed;

    private Checks() {}

    static synchronized void check(String name, Object expected, Object found) {
        if (String.valueOf(expected).equals(String.valueOf(found))) {
            passed++;
            System.out.println("ok " + name);
        } else {
            failed++;
            System.out.println("FAILED " + name + ": expected [" + expected + "], found [" + found + "]");
        }
    }

    /// Prints the counts and ends the process.
    static synchronized void end() {
        System.out.println(passed + " passed, " + failed + " failed");
        Runtime.getRuntime().halt(failed == 0 ? 0 : 1);
    }

    static synchronized void giveUp(Throwable why) {
        failed++;
        System.out.println("FAILED to go on: " + why);
        why.printStackTrace(System.out);
        end();
    }

    static <T> T get(CompletableFuture<T> answer) {
        try {
            return answer.get(30, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /// The text of an error that should come.
    static String failure(CompletableFuture<?> answer) {
        try {
            return "none: " + answer.get(30, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            return e.getCause().getMessage();
        } catch (Exception e) {
            return e.toString();
        }
    }

    /// Repeats what may fail while the members elect, for a minute.
    static <T> T eventually(Supplier<CompletableFuture<T>> attempt) {
        Throwable last = null;
        for (long end = System.nanoTime() + Duration.ofMinutes(1).toNanos(); System.nanoTime() < end; pause()) {
            try {
                return attempt.get().get(5, TimeUnit.SECONDS);
            } catch (Exception e) {
                last = e;
            }
        }
        throw new IllegalStateException("not within a minute", last);
    }

    static boolean reaches(BooleanSupplier condition) {
        for (long end = System.nanoTime() + Duration.ofMinutes(1).toNanos(); System.nanoTime() < end; pause()) {
            if (condition.getAsBoolean()) {
                return true;
            }
        }
        return condition.getAsBoolean();
    }

    static void pause() {
        try {
            Thread.sleep(20);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static ByteSequence bytes(Object text) {
        return ByteSequence.from(text.toString().getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }
}
