package mayfly.bench;

import java.nio.file.Path;
import java.util.List;
import mayfly.kit.Jdk;

/** The sections about profilers that are hosted in the target: their attach, their cost, and what remains of them. */
final class HostedSections {
    private final Settings settings;
    private final Path folder;

    HostedSections(Settings settings, Path folder) {
        this.settings = settings;
        this.folder = folder;
    }

    /** Returns the JDKs that can run a host. */
    private List<Jdk> hosts() {
        return settings.jdks().stream().filter(jdk -> jdk.feature() >= 17).toList();
    }

    private static List<Turns.Work> worksOf(Jdk jdk) {
        return jdk.feature() >= 21 ? List.of(Turns.Work.PLATFORM, Turns.Work.VIRTUAL) : List.of(Turns.Work.PLATFORM);
    }

    Page attach() {
        Page page = new Page(
                "attach",
                "Attach and detach",
                """
                A profiler that subscribes to every event, in a target with a heap of at most 64 MB.

                - *First event*: from the trigger's call until the profiler receives its first event, by the clock that
                  both processes share.
                - *Gone*: from the request to detach until library, threads and classes are gone; *of that in
                  collections*: the time of the garbage collections that prove it.
                - The trigger is warm and runs in the bench's process. In rows with *commands* it is `mayfly attach` and
                  `mayfly detach`, measured from their start or to their end.

                Requirement: at most 150 ms to the first event, 300 ms until it is gone.\
                """,
                "JDK",
                "program",
                "which",
                "number",
                "first event, median, ms",
                "90 %",
                "longest",
                "gone, median, ms",
                "90 %",
                "longest",
                "of that in collections, median, ms",
                "90 %");
        for (Jdk jdk : hosts()) {
            AttachTimes.measure(page, folder, jdk);
        }
        return page;
    }

    Page cycles() {
        Page page = new Page(
                "cycles",
                "Memory for each attach and detach",
                """
                A profiler that subscribes to every event is attached to one target and detached from it many times. The
                table shows the growth per cycle after the first 200 cycles, and in the later half of the remaining
                cycles, when the JVM has compiled more of the code that runs in each cycle. The figures come from the
                JVM itself (class histogram, code cache, native memory tracking), which names the allocating function.
                Each measurement follows complete garbage collections. The column *without attaches* shows another JVM
                that is measured in the same way.

                Requirement: at most 1 KB in sum. The Java objects are a Thread and its name: HotSpot keeps those of its
                attach listener each time it starts a new one, also for jcmd. The code cache grows by JDK methods that
                run once or twice in each attach: they are compiled at their 200th run.\
                """,
                "JDK",
                "program",
                "part",
                "bytes a cycle",
                "in the later half",
                "without attaches",
                "of which");
        for (Jdk jdk : hosts()) {
            for (boolean churn : new boolean[] {false, true}) {
                page.progress("cycles: " + jdk + (churn ? ", under load" : ", idle"));
                Cycles.Rows rows = Cycles.measure(folder, jdk, churn, settings.cycles());
                rows.rows().forEach(page::row);
                rows.notes().forEach(page::note);
            }
        }
        return page;
    }

    Page lasting() {
        Page page = new Page(
                "lasting",
                "Speed after detach",
                """
                Throughput of a program after three attaches and detaches, compared with before. Several JVMs take
                turns, with a window of 0.12 s each, before and after. Each window is divided by the window of a
                reference JVM without attaches in the same turn. Change: the median after divided by the median before,
                with its bootstrap 95 % interval. The measurement uses two sets of fresh JVMs. The rows *no
                attach* show another JVM, in which no profiler is attached: they are the noise. A detach collects; the
                rows *collections by jcmd* show a JVM with three such collections and no attach.\
                """,
                "JDK",
                "program",
                "between",
                "windows",
                "change by the clock, %",
                "change by CPU time, %");
        for (Jdk jdk : hosts()) {
            for (Turns.Work work : worksOf(jdk)) {
                AfterDetach.measure(page, jdk, work, settings.turns());
            }
        }
        return page;
    }

    Page attached() {
        Page page = attached("attached", "Cost while attached", """
            Windows of 0.25 s with an attached profiler alternate with windows without a profiler, in one JVM. The
            profiler subscribes to no event, or to every asynchronous one. Loss: 1 − rate in an attached window /
            mean rate of the two neighbouring windows; the median over all pairs with its bootstrap 95 % interval.
            Noise: the same figure for windows without a profiler, compared with their neighbours without one.\
            """);
        for (Jdk jdk : hosts()) {
            for (Turns.Work work : worksOf(jdk)) {
                WhileAttached.measure(page, jdk, work, WhileAttached.With.NO_EVENT, settings.pairs());
                WhileAttached.measure(page, jdk, work, WhileAttached.With.ASYNCHRONOUS, settings.pairs());
            }
        }
        return page;
    }

    Page attachedClasses() {
        Page page = attached("attached-classes", "Cost while attached to a program that loads classes", """
            As above, for a program that does nothing but load a small class, in a new loader each time. A window
            begins at once after the attach, while the JVM interprets and compiles the profiler, or 2 s later. *No
            profiler*: `jcmd VM.log` alone, with the tags that the events of classes and modules need, to a file in
            memory: the least that these events can cost.\
            """);
        for (Jdk jdk : hosts()) {
            for (WhileAttached.With with : List.of(
                    WhileAttached.With.LOG, WhileAttached.With.ASYNCHRONOUS, WhileAttached.With.ASYNCHRONOUS_LATER)) {
                WhileAttached.measure(page, jdk, Turns.Work.CLASSES, with, settings.pairs());
            }
        }
        return page;
    }

    private static Page attached(String name, String title, String text) {
        return new Page(
                name,
                title,
                text,
                "JDK",
                "program",
                "events",
                "pairs",
                "loss by the clock, %",
                "noise",
                "loss by CPU time, %",
                "noise");
    }

    Page detachPauses() {
        Page page = new Page(
                "detach-pauses",
                "Pauses of a detach with a large heap",
                """
                A program keeps %d MiB live, in objects of 256 bytes, and allocates 20 MiB per second, with a heap of at
                most twice as much.

                - Pauses come from the JVM's safepoint log. Stalls are measured by a clock of the program that ticks
                  each millisecond; they include delays by other processes on the machine.
                - *Own*: in the 10 s before, without a profiler.
                - *Retained*: the profiler leaves a shutdown hook, so its classes can never be unloaded.
                - *During*: from the request to detach until the profiler was gone; at most 10 s with G1, Serial and
                  Parallel, where the detach may wait for the program's own collection, 120 s with the others, and 30 s
                  if the profiler is retained.
                - *Limit* is required on G1, ZGC and Shenandoah: no pause may exceed the greater of 10 ms and twice the
                  program's own longest pause. *Met*: "yes" if no pause did.
                - CPU is of the whole process, including the program, until the profiler was gone.\
                """.formatted(settings.live()),
                "JDK",
                "collector",
                "retained",
                "own longest pause, ms",
                "own longest stall, ms",
                "pauses during",
                "longest pause during, ms",
                "longest stall during, ms",
                "limit, ms",
                "met",
                "gone after, s",
                "CPU, s",
                "what it waits for");
        for (Jdk jdk : hosts()) {
            for (DetachPauses.Collector collector : DetachPauses.Collector.values()) {
                for (boolean isRetained : new boolean[] {false, true}) {
                    page.progress("detach-pauses: " + jdk + ", " + collector + (isRetained ? ", retained" : ""));
                    DetachPauses.measure(page, folder, jdk, collector, settings.live(), isRetained);
                }
            }
        }
        return page;
    }

    Page discardedCode() {
        Page page = new Page(
                "probes-code",
                "Compiled code discarded for probes",
                """
                A program that runs SQL statements in one thread, warm after 30 s. A profiler adds a probe to one of its
                methods, for the first time in the JVM, and again after its removal and a detach.

                - *Compiled methods*: those in use, by `jcmd Compiler.codelist`, before the probe and right after it.
                - *Slowest*: the lowest rate of statements in windows of 0.5 s after the probe, in per cent of the
                  median of ten windows before the attach.
                - *Recovered*: the time from the probe to the end of the first window with at least 95 % of that rate.\
                """,
                "JDK",
                "probe",
                "compiled methods before",
                "after",
                "discarded, %",
                "slowest, %",
                "recovered, s");
        for (Jdk jdk : hosts()) {
            DiscardedCode.measure(page, folder, jdk);
        }
        return page;
    }

    Page probes() {
        Page page = new Page(
                "probes",
                "Probes",
                """
                A method that a loop calls 10 million times: without a probe, where the JVM inlines it; with a probe
                whose callbacks do nothing; and after the removal of the probe. *Other*: a method of another class, in
                another loop. Each figure is the shortest of four, and the table has the medians over the rounds with
                their bootstrap 95 % intervals. Each round attaches the profiler and detaches it.

                Requirement: at most 200 ns for a probed call, other methods within the noise, and at most 1 % more
                after the removal.\
                """,
                "JDK",
                "rounds",
                "a call without a probe, ns",
                "with a probe, ns",
                "other while probed, % more",
                "after the removal, % more",
                "other after the removal, % more");
        for (Jdk jdk : hosts()) {
            ProbeCosts.measure(page, folder, jdk, settings.pairs());
        }
        return page;
    }

    Page polling() {
        Page page = new Page(
                "polling",
                "Polled events",
                """
                The CPU time of the host's thread for a look at the threads, each 10 ms, with a profiler whose callbacks
                add numbers. *A look*: with a few threads, one of them blocked. *A thread*: the difference that 1,000
                parked threads make. *A blocked thread*: the difference that 31 further blocked threads make, with
                stacks of some frames; the JVM is asked for the monitor of each. The table has the medians over the
                rounds with their bootstrap 95 % intervals.\
                """,
                "JDK",
                "rounds",
                "a look, µs",
                "a thread, MONITORS, ns",
                "a thread, ALLOCATIONS, ns more",
                "a blocked thread, µs",
                "a blocked thread, by management, µs");
        for (Jdk jdk : hosts()) {
            PollingCosts.measure(page, folder, jdk, settings.pairs());
        }
        return page;
    }

    Page events() {
        Page page = new Page(
                "events",
                "Cost of each event",
                """
                A program does one thing again and again, so that one event occurs each time; the last columns show how
                much longer it takes. Windows of 0.2 s.

                - *One takes*: before the attach. A collection is of a heap with a few MB.
                - *More while on*: windows with the subscription alternate with windows without it, and each is compared
                  with the mean of its two neighbours: the median with its bootstrap 95 % interval.
                - *After the detach*: the median of 8 windows, compared with that of 8 windows before the attach. What
                  JVMTI costs virtual threads is in *speed after detach*.
                - The callbacks add one to a counter.\
                """,
                "JDK",
                "event",
                "delivery",
                "the program",
                "one takes, µs",
                "more while on, µs",
                "after the detach, % more");
        for (Jdk jdk : hosts()) {
            EventCosts.measure(page, folder, jdk, settings.pairs());
        }
        return page;
    }
}
