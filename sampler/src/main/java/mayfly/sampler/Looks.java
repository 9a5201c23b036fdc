package mayfly.sampler;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Looks at one process after the other, each on a thread of its own: a process that makes a look fail, or never end, is
 * left out of a list and does not spoil it. Any user can make such processes, by file systems of their own for example.
 */
final class Looks {
    /** Far longer than a look takes on a busy machine. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    /** For each further process, when all together have used this up. */
    private static final Duration LEFT_OVER = Duration.ofMillis(100);

    private final Consumer<String> problems;
    private final Duration patience;
    private long waitedNanos;

    /** @param problems gets a line for each process that is left out */
    Looks(Consumer<String> problems) {
        this(problems, PATIENCE);
    }

    Looks(Consumer<String> problems, Duration patience) {
        this.problems = problems;
        this.patience = patience;
    }

    /** The outcome of a look; empty if it failed in an unexpected way or did not end in time. */
    <T> Optional<T> at(int pid, Supplier<T> look) {
        FutureTask<T> task = new FutureTask<>(look::get);
        Thread.ofPlatform().daemon().name("look at " + pid).start(task);
        long limit = Math.max(LEFT_OVER.toNanos(), patience.toNanos() - waitedNanos);
        try {
            return Optional.of(task.get(limit, TimeUnit.NANOSECONDS));
        } catch (TimeoutException e) {
            waitedNanos += limit;
            problems.accept("process " + pid + " was left out: a look at it did not end in "
                    + Duration.ofNanos(limit).toMillis() + " ms");
        } catch (ExecutionException e) {
            // An OutOfMemoryError too: what the look has allocated is free again.
            problems.accept("process " + pid + " was left out: " + e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return Optional.empty();
    }
}
