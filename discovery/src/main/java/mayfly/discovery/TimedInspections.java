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
 * Inspects one process after the other, each on a separate thread. A process whose inspection fails or never ends is
 * left out of a list and does not affect the rest. Any user can create such processes, for example with a user-space
 * file system.
 */
final class TimedInspections {
    /**
     * Upper bound on the total time for inspections that do not end. Each inspection may take half of the remaining
     * time; at first this is far longer than an inspection takes on a busy machine.
     */
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    /** Time for each further process after the total time is used up. */
    private static final Duration LEFT_OVER = Duration.ofMillis(100);
    /** The time from the start of an inspection to the alarm, s. It is longer than the wait for any inspection. */
    private static final int ALARM_SECONDS = 30;

    private static volatile boolean stuck;

    private final Consumer<String> problems;
    private final Duration patience;
    private final IntConsumer alarm;
    private long waitedNanos;

    /** @param problems receives a line for each process that is left out */
    TimedInspections(Consumer<String> problems) {
        this(problems, PATIENCE, seconds -> {});
    }

    /** Creates an object that sets an alarm: it ends this process if an inspection blocks the entire JVM. */
    static TimedInspections withAlarm(Consumer<String> problems) {
        return new TimedInspections(problems, PATIENCE, Alarm::in);
    }

    /** @param alarm receives the time of the alarm before each inspection, in seconds from then */
    TimedInspections(Consumer<String> problems, Duration patience, IntConsumer alarm) {
        this.problems = problems;
        this.patience = patience;
        this.alarm = alarm;
    }

    /** Ends this process, with this status, if an inspection has not ended: the JVM's own exit could wait for it. */
    static void exitPastStuck(int status) {
        if (stuck) {
            Alarm.exit(status);
        }
    }

    /** Cancels the alarm after the last inspection. */
    void end() {
        if (!stuck) {
            alarm.accept(0);
        }
    }

    /** Returns the result of an inspection; empty if it failed unexpectedly or did not end in time. */
    <T> Optional<T> at(int pid, Supplier<T> look) {
        FutureTask<T> task = new FutureTask<>(look::get);
        Thread.ofPlatform().daemon().name("look at " + pid).start(task);
        alarm.accept(ALARM_SECONDS);
        // The limit is half of the remaining time: a process that does not respond leaves enough time for the others.
        long limit = Math.max(LEFT_OVER.toNanos(), (patience.toNanos() - waitedNanos) / 2);
        try {
            return Optional.of(task.get(limit, TimeUnit.NANOSECONDS));
        } catch (TimeoutException e) {
            stuck = true;
            waitedNanos += limit;
            problems.accept("process " + pid + " was left out: its inspection did not end in "
                    + Duration.ofNanos(limit).toMillis() + " ms");
        } catch (ExecutionException e) {
            // An OutOfMemoryError is handled too: the memory that the inspection allocated is free again.
            problems.accept("process " + pid + " was left out: " + e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return Optional.empty();
    }
}
