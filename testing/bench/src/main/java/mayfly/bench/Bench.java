package mayfly.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import mayfly.kit.Jdk;
import mayfly.record.event.Collector;

/** The entry point: measures the requested sections and writes them into the page. */
final class Bench {
    private static final String HEAD = """
        # Benchmarks

        `testing/bench/run` compares Mayfly with the profilers that a user would otherwise choose, side by side in
        one run on one machine. It checks sampling rates by the number of samples delivered. Compare the ratios
        rather than the absolute figures: timings on a small virtual machine are noisy.

        async-profiler samples with `cpu-clock`. Its hardware event needs a cycle counter, which most virtual
        machines do not have, and its timer engine is limited to the kernel's HZ. In the H2 load it misses the
        caller of `String.indexOf`, whose compiled code moves the stack pointer; this accounts for most of its
        incomplete stacks.
        """;
    private final Settings settings;
    private final Path folder;
    private final List<Rival> rivals = new ArrayList<>();
    private final String provenance;
    private final HostedSections hosted;
    private final WaitSections waiting;

    private Bench(Settings settings, Path folder, String command) throws IOException {
        this.settings = settings;
        this.folder = folder;
        this.hosted = new HostedSections(settings, folder);
        this.waiting = new WaitSections(settings, folder);
        this.provenance = Machine.describe(settings.jdks(), command);
        for (String name : settings.rivals()) {
            rivals.add(
                    switch (name) {
                        case "mayfly" -> new Mayfly(folder, Collector.PER_THREAD);
                        case "async-profiler" -> new AsyncProfiler(folder);
                        case "jfr" -> new Jfr(folder);
                        default ->
                            throw new IllegalArgumentException("rivals are mayfly, async-profiler, jfr; not " + name);
                    });
        }
    }

    public static void main(String... words) throws IOException {
        Settings settings;
        try {
            settings = Settings.parse(words);
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            System.err.print(Settings.USAGE);
            System.exit(2);
            return;
        }
        Path folder = Files.createTempDirectory("mayfly-bench");
        // The hook also runs on an interrupt: no child process continues, and no file except the page remains.
        Runtime.getRuntime().addShutdownHook(new Thread(() -> cleanUp(folder)));
        Bench bench = new Bench(settings, folder, "testing/bench/run " + String.join(" ", words));
        for (String section : settings.sections()) {
            bench.section(section).writeTo(settings.out(), HEAD, bench.provenance);
        }
        System.err.println("written: " + settings.out());
    }

    private static void cleanUp(Path folder) {
        ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
        try (var files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
            Files.delete(folder);
        } catch (IOException e) {
            System.err.println("cannot remove the temporary files: " + e.getMessage());
        }
    }

    private Page section(String name) throws IOException {
        return switch (name) {
            case "slowdown" -> slowdown();
            case "stacks" -> stacks(false);
            case "stress" -> stacks(true);
            case "accuracy" -> accuracy();
            case "cost" -> cost();
            case "warm" -> warm();
            case "startup" -> startUp();
            case "memory" -> memory();
            case "stops" -> stops();
            case "virtual" -> virtual();
            case "off-cpu" -> waiting.waits();
            case "lock" -> waiting.locks();
            case "alloc" -> waiting.allocations();
            case "switches" -> waiting.switches();
            case "attach" -> hosted.attach();
            case "cycles" -> hosted.cycles();
            case "lasting" -> hosted.lasting();
            case "attached" -> hosted.attached();
            case "attached-classes" -> hosted.attachedClasses();
            case "probes" -> hosted.probes();
            case "probes-code" -> hosted.discardedCode();
            case "polling" -> hosted.polling();
            case "events" -> hosted.events();
            case "leaf" -> leaf();
            case "starts" -> starts();
            case "render-deep" -> render(Renderings.Simulated.DEEP);
            case "render-million" -> render(Renderings.Simulated.MILLION);
            case "render-day" -> render(Renderings.Simulated.DAY);
            case "detach-pauses" -> hosted.detachPauses();
            case "carry" -> carry();
            default -> throw new IllegalArgumentException(name);
        };
    }

    private List<Rival> rivalsOf(Jdk jdk) {
        return rivals.stream().filter(rival -> rival.supports(jdk)).toList();
    }

    private Page slowdown() {
        Page page = new Page(
                "slowdown",
                "Slowdown of the target",
                """
                One CPU-bound thread (`Ticker`), profiled in windows of 0.8 s that alternate with windows without a
                profiler.

                - Loss: 1 − rate in a profiled window / mean rate of the two neighbouring windows, in per cent; the
                  median over all pairs with its bootstrap 95 % interval. It is measured by the clock, which also counts
                  delays by other users of the machine, and by the thread's CPU time.
                - Ratio: the median loss divided by async-profiler's in the same run.

                Mayfly and async-profiler sample per thread.\
                """,
                "JDK",
                "asked, Hz",
                "profiler",
                "pairs",
                "delivered, Hz",
                "on CPU, %",
                "loss by the clock, %",
                "ratio",
                "loss by CPU time, %",
                "ratio");
        for (Jdk jdk : settings.jdks()) {
            for (int hz : settings.rates()) {
                // JFR's shortest period is a millisecond, so JFR is not compared with the others from 1,000 Hz on.
                List<Rival> able = rivalsOf(jdk).stream()
                        .filter(r -> hz < 1000 || !(r instanceof Jfr))
                        .toList();
                Slowdown.measure(page, able, jdk, hz, settings.pairs());
            }
        }
        return page;
    }

    private Page stacks(boolean stress) {
        Page page = new Page(
                stress ? "stress" : "stacks",
                stress ? "Stacks under stress" : "Stacks that reach the thread's root",
                "999 Hz. A stack counts as complete under these conditions:\n\n"
                        + rivals.stream()
                                .map(rival -> "- " + rival.completeMeans())
                                .collect(Collectors.joining("\n")),
                "JDK",
                "load",
                "profiler",
                "samples",
                "complete, %",
                "the rest");
        for (Jdk jdk : settings.jdks()) {
            for (Stacks.Load load : Stacks.loads(jdk, stress)) {
                Stacks.measure(page, rivalsOf(jdk), jdk, load, settings.samples());
            }
        }
        return page;
    }

    private Page accuracy() {
        Page page = new Page(
                "accuracy",
                "Shares of CPU time",
                """
                A program spends 50, 30 and 20 % of its CPU time in three methods. The table shows each method's share
                of the samples, in parentheses its share according to the program's own CPU clock over the same period,
                and the largest difference.\
                """,
                "JDK",
                "profiler",
                "samples",
                "shares, %",
                "largest difference, points");
        for (Jdk jdk : settings.jdks()) {
            Accuracy.measure(page, rivalsOf(jdk), jdk, 999, settings.recording());
        }
        return page;
    }

    private Page cost() {
        Page page = new Page(
                "cost",
                "CPU and memory of Mayfly itself",
                """
                CPU time and memory of Mayfly's whole process, including its JVM's compiler and garbage collector, and
                of its four busiest threads.\
                """,
                "JDK",
                "load",
                "Hz",
                "seconds",
                "samples",
                "CPU, s",
                "CPU per sample, µs",
                "busiest threads, µs per sample",
                "resident");
        for (Jdk jdk : settings.jdks()) {
            for (Stacks.Load load : Stacks.loads(jdk, false)) {
                Cost.measure(page, folder, jdk, load, 999, settings.recording());
            }
        }
        return page;
    }

    private Page warm() {
        Page page = new Page(
                "warm",
                "CPU of the sampling thread, warm",
                """
                CPU time per sample of the thread that drains, walks, names and writes samples, by that thread's CPU
                clock. It is measured from the 20th to the 45th second of each recording, of a program that has already
                run for 75 s. The collectors take turns on one JVM, with three recordings each for H2. The table shows
                the median, the minimum and the maximum. Requirement for H2: at most 10 µs.\
                """,
                "JDK",
                "load",
                "collector",
                "Hz",
                "samples of the last",
                "CPU per sample, µs",
                "from, to");
        for (Jdk jdk : settings.jdks()) {
            List<Stacks.Load> loads = Stacks.loads(jdk, false);
            WarmSampling.measure(page, folder, jdk, loads.get(0), 999, 3);
            WarmSampling.measure(page, folder, jdk, loads.get(1), 999, 1);
        }
        return page;
    }

    private Page memory() {
        Page page = new Page(
                "memory",
                "Memory of Mayfly over time",
                "Resident memory of the whole process. It reaches its maximum while the page is written.",
                "JDK",
                "load",
                "Hz",
                "seconds",
                "samples",
                "CPU, s",
                "CPU per sample, µs",
                "busiest threads, µs per sample",
                "resident");
        for (Jdk jdk : settings.jdks()) {
            List<Stacks.Load> loads = Stacks.loads(jdk, false);
            Cost.measure(page, folder, jdk, loads.get(0), 999, Duration.ofSeconds(60));
            Cost.measure(page, folder, jdk, loads.get(1), 99, Duration.ofMinutes(10));
        }
        return page;
    }

    private Page stops() {
        Page page = new Page(
                "stops",
                "How long snapshots stop threads",
                """
                The snapshots measure these times themselves. A stop lasts from before the thread is asked to stop until
                it has been resumed. With all threads together, it lasts from before the first is asked until the last
                has been resumed.

                - Rows for the `stack` command, each run in a new process: the median of the commands' medians, and of
                  their longest stops.
                - Target *blocked*: about 100 threads, each blocked in a different way.
                - *The whole*: from the call to the finished dump, including walks and names; for a command, including
                  its start and its output.\
                """,
                "JDK",
                "target",
                "snapshots",
                "number",
                "median stop, µs",
                "90 %, µs",
                "longest, µs",
                "the whole, median, ms");
        for (Jdk jdk : settings.jdks()) {
            Stops.measure(page, folder, jdk);
        }
        return page;
    }

    private Page virtual() {
        Page page = new Page(
                "virtual",
                "Dumps of 100,000 virtual threads",
                """
                A program with 100,000 virtual threads that are parked, in stacks of 25 frames on average. Each command
                runs in a new process, and its output is complete when it ends.

                - *Stopped*: the time from the stop of the first thread of the program until the last one has been
                  resumed, as Mayfly states it. The JVM writes its file in the program, and stops one thread at a time.\
                """,
                "JDK",
                "command",
                "runs",
                "virtual threads",
                "the whole, median, s",
                "longest, s",
                "stopped, median, ms",
                "longest, ms");
        for (Jdk jdk : settings.jdks()) {
            VirtualDumps.measure(page, folder, jdk);
        }
        return page;
    }

    private Page render(Renderings.Simulated simulated) {
        Page page = new Page(
                "render-" + simulated.name().toLowerCase(Locale.ROOT),
                "Large recordings: " + simulated.title(),
                """
                A capture of a simulated program is written through the recorder's stack table and writer, in a JVM with
                the launcher's options and a heap of %d MB. `mayfly convert` then converts it to each format. *Resident*
                is the sum of the resident memory of all processes of the conversion, measured every 20 ms, at its
                maximum; *each at most* is the sum of each process's own maximum. CPU is of all processes. Requirement:
                %s.\
                """.formatted(simulated.heap(), simulated.due()),
                "recording",
                "what",
                "resident, MB",
                "each at most, MB",
                "CPU, s");
        Renderings.measure(page, settings.captures().toString().isEmpty() ? folder : settings.captures(), simulated);
        return page;
    }

    private Page leaf() {
        Page page = new Page(
                "leaf",
                "Methods at the leaf of compiled code",
                """
                Unless the JVM runs with `-XX:+DebugNonSafepoints`, compilers record debug information only at calls and
                polls. The table shows the resulting error of self time by method: the total variation distance of two
                distributions of self time, in per cent of all samples.

                - *after*, *before*, *common*, *branches* are rules to choose a method. For these columns, one JVM runs
                  with the flag. Each sample is decoded as recorded, and by each rule with all debug information hidden
                  except that at oop maps. *After* (the next call or poll by
                  address) is the rule of HotSpot and of other profilers, *before* is the previous one, *common* is
                  what both share; *branches* is Mayfly's.
                - *without the flag* compares a JVM without the flag with two JVMs with it. Mayfly profiles each after
                  15 s, then async-profiler, which is loaded only at that point. *noise* compares the two JVMs with the
                  flag with each other.
                - *certain*: samples whose leaf needs no rule even without the flag.

                See [accuracy](accuracy.md).\
                """,
                "JDK",
                "program",
                "samples",
                "in C2 code, %",
                "in C1 code, %",
                "certain, %",
                "after",
                "before",
                "common",
                "branches",
                "Mayfly: noise",
                "Mayfly: without the flag",
                "async-profiler: noise",
                "async-profiler: without the flag");
        for (Jdk jdk : settings.jdks()) {
            for (int i = 0; i < Leaves.programs(jdk).size(); i++) {
                Leaves.measure(page, folder, rivals, jdk, i, settings.recording());
            }
        }
        return page;
    }

    private Page starts() {
        Page page = new Page(
                "starts",
                "Stacks from the first instruction to the end",
                """
                `mayfly run` at 999 Hz, with all runs pooled. *Of the last 0.2 s* covers the samples that are walked
                after the program's end. Each of the young threads uses 30 ms of CPU time, below a native method with a
                buffer of which only one page was touched. The demo runs on Mayfly's own JDK. Requirement: at least
                99.95 % complete for Hello and the demo, 99.9 % for the young threads, and nothing lost at the end.\
                """,
                "JDK",
                "program",
                "runs",
                "samples",
                "complete, %",
                "of the last 0.2 s, %",
                "the rest");
        for (Jdk jdk : settings.jdks()) {
            Starts.measure(page, folder, jdk, settings.runs());
        }
        Starts.demo(page, folder, 2);
        return page;
    }

    private Page carry() throws IOException {
        Page page = new Page("carry", "From the archive to a flame graph", """
            `tar -xzf` of the archive that `mayfly dist` makes, into a new folder, then `mayfly demo` of that
            folder: the time from the first command until each is done.\
            """, "done", "runs", "median, s", "most, s");
        ArchiveTimes.measure(page, folder);
        return page;
    }

    private Page startUp() {
        Page page = new Page(
                "startup", "Start-up", """
                    Time from the command to sampling, with one CPU-bound target, after one warm-up run. For the rivals,
                    the time ends when their command has ended, which is when they begin to sample; for Mayfly it ends
                    at its first sample.\
                    """, "JDK", "profiler", "runs", "until", "median, ms", "least, ms", "90 %, ms");
        for (Jdk jdk : settings.jdks()) {
            StartUps.measure(page, rivalsOf(jdk), jdk, 20);
        }
        return page;
    }
}
