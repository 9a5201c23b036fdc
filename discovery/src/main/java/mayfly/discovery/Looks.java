package mayfly.discovery;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import mayfly.linux.sys.Alarm;

/**
 * Looks at one process after the other, each on a thread of its own: a process that makes a look fail, or never end, is
 * left out of a list and does not spoil it. Any user can make such processes, by file systems of their own for example.
 */
final class Looks {
    /** For all looks that do not end; half of what is left is far longer than a look takes on a busy machine. */
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    /** For each further process, when all together have used this up. */
    private static final Duration LEFT_OVER = Duration.ofMillis(100);
    /** Longer than any one look is waited for. */
    private static final int ALARM_SECONDS = 30;

    private static volatile boolean stuck;

    private final Consumer<String> problems;
    private final Duration patience;
    private final IntConsumer alarm;
    private long waitedNanos;

    /** @param problems gets a line for each process that is left out */
    Looks(Consumer<String> problems) {
        this(problems, PATIENCE, seconds -> { });
    }

    /** As above, in a process that is ended by an alarm if a look keeps all of its JVM from going on. */
    static Looks withAlarm(Consumer<String> problems) {
        return new Looks(problems, PATIENCE, Alarm::in);
    }

    /** @param alarm is set before each look, in seconds */
    Looks(Consumer<String> problems, Duration patience, IntConsumer alarm) {
        this.problems = problems;
        this.patience = patience;
        this.alarm = alarm;
    }

    /** Ends this process, with this status, if a look has not ended: the JVM's own exit could wait for it. */
    static void exitPastStuck(int status) {
        if (stuck) {
            Alarm.exit(status);
        }
    }

    /** After the last look. */
    void end() {
        if (!stuck) {
            alarm.accept(0);
        }
    }

    /** The outcome of a look; empty if it failed in an unexpected way or did not end in time. */
    <T> Optional<T> at(int pid, Supplier<T> look) {
        FutureTask<T> task = new FutureTask<>(look::get);
        Thread.ofPlatform().daemon().name("look at " + pid).start(task);
        alarm.accept(ALARM_SECONDS);
        // Half of what is left, so that one process that does not answer leaves enough for the others.
        long limit = Math.max(LEFT_OVER.toNanos(), (patience.toNanos() - waitedNanos) / 2);
        try {
            return Optional.of(task.get(limit, TimeUnit.NANOSECONDS));
        } catch (TimeoutException e) {
            stuck = true;
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
