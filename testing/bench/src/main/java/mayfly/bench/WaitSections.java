package mayfly.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import mayfly.kit.Jdk;

/** The sections about recordings of waits and of allocation: their accuracy, and their cost. */
final class WaitSections {
    private final Settings settings;
    private final Path folder;

    WaitSections(Settings settings, Path folder) {
        this.settings = settings;
        this.folder = folder;
    }

    Page waits() throws IOException {
        Page page = new Page(
                "off-cpu",
                "Waits, by the clock of the program",
                """
                `mayfly record -e off-cpu` of a program with five threads that wait for a lock, park, sleep, and read
                from a socket and from a pipe, for 12 to 20 ms each, and measure each wait by their own clock. The
                program is run alone.

                - *Recorded*: the sum of the recorded waits of these threads, short ones included, in per cent of the
                  sum that they have measured.
                - *Site*: the largest difference between the share of a method in the recorded sum and its share in the
                  measured one, in percentage points.
                - *Complete stacks*: the share, by time, of the waits of 10 ms and more of these threads whose stack was
                  walked to its root, without those in which a thread was preempted.\
                """,
                "JDK",
                "user",
                "recordings",
                "own clock, s",
                "recorded, median, %",
                "recorded, range, %",
                "site, worst, points",
                "complete stacks, median, %",
                "worst, %");
        for (Jdk jdk : settings.jdks()) {
            Waits.measure(page, folder, jdk);
        }
        return page;
    }

    Page locks() throws IOException {
        Page page = new Page(
                "lock",
                "Waits for locks, by the clock of the program",
                """
                `mayfly record -e lock` of a program in which six threads wait, each for another kind of lock (a
                monitor, a ReentrantLock, the two locks of a ReentrantReadWriteLock, a Semaphore, a StampedLock), which
                another thread holds for a given time. They measure each wait by their own clock.

                - *Recorded*: the sum of the recorded waits of these threads, in per cent of the sum that they have
                  measured. A wait that ended before its lock was read is missing.
                - *Right owner*: the share, by time, of the recorded waits for locks whose owner the JVM records (all
                  but the last two kinds) that have the thread that held the lock as their owner.
                - *Wrong owner*: the share of the recorded waits that have another one.\
                """,
                "JDK",
                "held, ms",
                "waits",
                "own clock, s",
                "recorded, median, %",
                "recorded, range, %",
                "right owner, median, %",
                "least, %",
                "wrong owner, most, %");
        for (Jdk jdk : settings.jdks()) {
            Locks.measure(page, folder, jdk);
        }
        return page;
    }

    Page allocations() throws IOException {
        Page page = new Page(
                "alloc",
                "Allocation, by the count of the program",
                """
                Recordings of a program that counts the bytes that it allocates. Mayfly's `alloc` divides the bytes of a
                thread among samples at 999 Hz; `alloc-class` samples at breakpoints. async-profiler samples an object
                each 64 KiB (`alloc=65536`, `total`), JFR those of `jdk.ObjectAllocationSample` with its profile
                settings.

                - *Recorded*: the sum of all stacks, in per cent of the program's count.
                - *Site*: the largest difference between the share of a method in the recorded sum and its share in the
                  program's count, in percentage points: the median, and the worst in parentheses.
                - *Class*: the same for the classes of the objects.\
                """,
                "JDK",
                "program",
                "profiler",
                "recordings",
                "allocated, GiB",
                "recorded, median, %",
                "recorded, range, %",
                "site, points",
                "class, points");
        AsyncProfiler async = new AsyncProfiler(folder);
        Jfr jfr = new Jfr(folder);
        Map<String, Allocated.Way> ways = new LinkedHashMap<>();
        ways.put(Allocated.BY_TIME, Allocated.mayfly(folder, "alloc"));
        ways.put("Mayfly, alloc-class", Allocated.mayfly(folder, "alloc-class"));
        ways.put("async-profiler, alloc", async::allocations);
        ways.put("JFR", jfr::allocations);
        for (Jdk jdk : settings.jdks()) {
            Allocated.measure(page, jdk, ways);
        }
        return page;
    }

    Page switches() throws IOException {
        Page page = new Page(
                "switches",
                "Waits of a program that switches all the time",
                """
                Two threads that park and wake each other in turn, so that every wait is shorter than the shortest one
                of a recording. Each profiler has a window of 0.8 s in turn, between windows without one.

                - *Switches*: of all threads of the program, in each second of a window without a profiler.
                - *Loss*: 1 − turns per second in a window / mean of the two neighbouring windows without a profiler, in
                  per cent; the median with its bootstrap 95 % interval.
                - *A perf event without records*: a clock of each thread that never reaches its period. It shows the
                  part of the loss that any event of a thread causes in the kernel.\
                """,
                "JDK",
                "switches per second",
                "profiler",
                "pairs",
                "loss, %");
        for (Jdk jdk : settings.jdks()) {
            SwitchCosts.measure(page, folder, jdk, settings.pairs());
        }
        return page;
    }
}
