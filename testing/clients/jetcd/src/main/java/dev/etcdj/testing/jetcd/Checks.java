package dev.etcdj.testing.jetcd;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.common.exception.ErrorCode;
import io.etcd.jetcd.common.exception.EtcdException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/// What every part of the program asserts with. All methods may be called by any thread.
final class Checks {
    /// For anything that does not take long unless the machine is slow. Nothing that goes well waits for it.
    static final Duration PATIENCE = Duration.ofMinutes(5);

    private static final Duration ATTEMPT = Duration.ofSeconds(20);

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
            return answer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /// The text of an error that should come.
    static String failure(CompletableFuture<?> answer) {
        try {
            return "none: " + answer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            return text(e.getCause());
        } catch (Exception e) {
            return e.toString();
        }
    }

    /// What the server said, without the classes that carry it; of a refusal also the code, which the
    /// client puts into the text of some errors only.
    static String text(Throwable why) {
        if (why instanceof EtcdException e && e.getErrorCode() == ErrorCode.UNIMPLEMENTED) {
            return "UNIMPLEMENTED: " + e.getMessage().replaceFirst("^.*UNIMPLEMENTED: ", "");
        }
        return String.valueOf(why.getMessage()).replaceFirst("^.*(?=etcdserver:)", "");
    }

    /// Repeats what may fail while the members elect.
    static <T> T eventually(Supplier<CompletableFuture<T>> attempt) {
        Throwable last = null;
        for (long end = System.nanoTime() + PATIENCE.toNanos(); System.nanoTime() < end; pause()) {
            try {
                return attempt.get().get(ATTEMPT.toSeconds(), TimeUnit.SECONDS);
            } catch (Exception e) {
                last = e;
            }
        }
        throw new IllegalStateException("not within " + PATIENCE, last);
    }

    static boolean reaches(BooleanSupplier condition) {
        for (long end = System.nanoTime() + PATIENCE.toNanos(); System.nanoTime() < end; pause()) {
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
