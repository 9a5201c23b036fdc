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
import mayfly.sampler.Collector;

/** The one command: measures the sections asked for and writes them into the page. */
final class Bench {
    private static final String HEAD = """
            # Benchmarks

            Mayfly beside what a user would pick instead, measured side by side in one run on one machine by
            `testing/bench/run`. Rates are checked by what was delivered. Read the ratios, not the absolute figures:
            timings on a small virtual machine are noisy.

            async-profiler samples by `cpu-clock`: its hardware event needs a cycle counter, which most virtual machines
            do not have, and its timer engine delivers no more than the kernel's HZ. In the H2 load it loses the caller of
            `String.indexOf`, whose compiled code moves the stack pointer: most of what it misses there.
            """;
    private final Settings settings;
    private final Path folder;
    private final List<Rival> rivals = new ArrayList<>();
    private final String provenance;

    private Bench(Settings settings, Path folder, String command) throws IOException {
        this.settings = settings;
        this.folder = folder;
        this.provenance = Machine.describe(settings.jdks(), command);
        for (String name : settings.rivals()) {
            rivals.add(switch (name) {
                case "mayfly" -> new Mayfly(folder, Collector.PER_THREAD);
                case "async-profiler" -> new AsyncProfiler(folder);
                case "jfr" -> new Jfr(folder);
                default -> throw new IllegalArgumentException("rivals are mayfly, async-profiler, jfr; not " + name);
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
        // Also when it is interrupted: nothing that it started goes on, and nothing that it wrote stays but the page.
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
            System.err.println("left behind: " + e.getMessage());
        }
    }

    private Page section(String name) {
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
            case "attach" -> attach();
            case "cycles" -> cycles();
            case "lasting" -> lasting();
            case "attached" -> attached();
            case "leaf" -> leaf();
            case "starts" -> starts();
            case "render-deep" -> render(Renderings.Simulated.DEEP);
            case "render-million" -> render(Renderings.Simulated.MILLION);
            case "render-day" -> render(Renderings.Simulated.DAY);
            case "detach-pauses" -> detachPauses();
            default -> throw new IllegalArgumentException(name);
        };
    }

    private List<Rival> rivalsOf(Jdk jdk) {
        return rivals.stream().filter(rival -> rival.supports(jdk)).toList();
    }

    private Page slowdown() {
        Page page = new Page("slowdown", "Slowdown of the target", """
                One CPU-bound thread (`Ticker`), profiled in windows of 0.8 s that alternate with windows in which nobody
                profiles. Loss: median over the pairs of 1 − rate on / mean rate of the two neighbours off, in per cent,
                with its bootstrap 95 % interval; by the clock (which suffers when others use the machine), and by the
                thread's CPU time. Ratio: of the medians, to async-profiler's in the same run. All are per-thread.""",
                "JDK", "asked, Hz", "profiler", "pairs", "delivered, Hz", "on CPU, %", "loss by the clock, %", "ratio",
                "loss by CPU time, %", "ratio");
        for (Jdk jdk : settings.jdks()) {
            for (int hz : settings.rates()) {
                // JFR's shortest period is a millisecond, so it has no place beside the others above that.
                List<Rival> able = rivalsOf(jdk).stream().filter(r -> hz < 1000 || !(r instanceof Jfr)).toList();
                Slowdown.measure(page, able, jdk, hz, settings.pairs());
            }
        }
        return page;
    }

    private Page stacks(boolean stress) {
        Page page = new Page(stress ? "stress" : "stacks",
                stress ? "Stacks under stress" : "Stacks that reach the thread's root", "999 Hz. What complete means:\n\n"
                + rivals.stream().map(rival -> "- " + rival.completeMeans()).collect(Collectors.joining("\n")),
                "JDK", "load", "profiler", "samples", "complete, %", "the rest");
        for (Jdk jdk : settings.jdks()) {
            for (Stacks.Load load : Stacks.loads(jdk, stress)) {
                Stacks.measure(page, rivalsOf(jdk), jdk, load, settings.samples());
            }
        }
        return page;
    }

    private Page accuracy() {
        Page page = new Page("accuracy", "Shares of CPU time", """
                A program that spends 50, 30 and 20 % of its CPU time in three methods. Shares in the samples, in
                parentheses what the program's own CPU clock says for the same time; and the largest difference.""",
                "JDK", "profiler", "samples", "shares, %", "largest difference, points");
        for (Jdk jdk : settings.jdks()) {
            Accuracy.measure(page, rivalsOf(jdk), jdk, 999, settings.recording());
        }
        return page;
    }

    private Page cost() {
        Page page = new Page("cost", "CPU and memory of Mayfly itself", """
                The whole process, its JVM's own compiler and collector included, and its four busiest threads.""",
                "JDK", "load", "Hz", "seconds", "samples", "CPU, s", "CPU per sample, µs",
                "busiest threads, µs per sample", "resident");
        for (Jdk jdk : settings.jdks()) {
            for (Stacks.Load load : Stacks.loads(jdk, false)) {
                Cost.measure(page, folder, jdk, load, 999, settings.recording());
            }
        }
        return page;
    }

    private Page warm() {
        Page page = new Page("warm", "CPU of the sampling thread, warm", """
                From the 20th to the 45th second of recordings of a program that has run for 75 s before: what one sample
                costs the thread that drains, walks, names and writes it, by that thread's CPU clock. The collectors take
                turns on one JVM, three each with H2; the median, and the least and the most. Due with H2: at most 10.""",
                "JDK", "load", "collector", "Hz", "samples of the last", "CPU per sample, µs", "from, to");
        for (Jdk jdk : settings.jdks()) {
            List<Stacks.Load> loads = Stacks.loads(jdk, false);
            WarmSampling.measure(page, folder, jdk, loads.get(0), 999, 3);
            WarmSampling.measure(page, folder, jdk, loads.get(1), 999, 1);
        }
        return page;
    }

    private Page memory() {
        Page page = new Page("memory", "Memory of Mayfly over time",
                "Resident memory of the whole process; the most is reached while the page is written.",
                "JDK", "load", "Hz", "seconds", "samples", "CPU, s", "CPU per sample, µs",
                "busiest threads, µs per sample", "resident");
        for (Jdk jdk : settings.jdks()) {
            List<Stacks.Load> loads = Stacks.loads(jdk, false);
            Cost.measure(page, folder, jdk, loads.get(0), 999, Duration.ofSeconds(60));
            Cost.measure(page, folder, jdk, loads.get(1), 99, Duration.ofMinutes(10));
        }
        return page;
    }

    private Page stops() {
        Page page = new Page("stops", "How long snapshots stop threads", """
                By the snapshots' own account: from before a thread is asked to stop until it has been let go; with all
                together, from before the first is asked until the last has been let go. Of `stack` in a process of its
                own, the medians of the commands' medians and longest. Blocked: some 100 threads that wait in every way
                there is. The whole: from the call to the dump, walks and names included, or of the command, its start
                and its output too.""",
                "JDK", "target", "snapshots", "number", "median stop, µs", "90 %, µs", "longest, µs",
                "the whole, median, ms");
        for (Jdk jdk : settings.jdks()) {
            Stops.measure(page, folder, jdk);
        }
        return page;
    }

    /** A profiler can be hosted there. */
    private List<Jdk> hosts() {
        return settings.jdks().stream().filter(jdk -> jdk.feature() >= 17).toList();
    }

    private static List<Turns.Work> worksOf(Jdk jdk) {
        return jdk.feature() >= 21 ? List.of(Turns.Work.values()) : List.of(Turns.Work.PLATFORM);
    }

    private Page attach() {
        Page page = new Page("attach", "Attach and detach", """
                A profiler with every event. From the trigger's call to the time at which the profiler was told its
                first event, by the clock that both processes share; from the request to detach until library, threads and
                classes are gone; and of that, the collections that prove it. A heap of at most 64 MB. The trigger is
                warm and in the bench's process, or (commands) `mayfly attach` and `mayfly detach`, from their start and
                to their end. Due: at most 150 ms to the first event, 300 ms until it is gone.""",
                "JDK", "program", "which", "number", "first event, median, ms", "90 %", "longest", "gone, median, ms",
                "90 %", "longest", "of that collecting, median, ms", "90 %");
        for (Jdk jdk : hosts()) {
            AttachTimes.measure(page, folder, jdk);
        }
        return page;
    }

    private Page cycles() {
        Page page = new Page("cycles", "Memory for each attach and detach", """
                A target is attached to and detached from, with every event, again and again. Growth after the first 200
                cycles, for each cycle; and in the later half of these, by which the JVM has compiled more of what it
                runs in each. By the JVM's own account (class histogram, code cache, native memory tracking), which has
                the function that allocated. Each look comes after whole collections. Another JVM is looked at like
                that, and nobody attaches to it. Due: at most 1 KB in sum. The Java objects are a Thread and its name:
                HotSpot keeps that of its attach listener whenever one is started anew, for jcmd too. The code cache
                grows by methods of the JDK that run once or twice in each attach: at their 200th run they are compiled.""",
                "JDK", "program", "part", "bytes a cycle", "in the later half", "where nobody attaches", "of which");
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

    private Page lasting() {
        Page page = new Page("lasting", "Speed after detach", """
                Throughput of a program after three times attach and detach, against before. JVMs take turns, a window
                of 0.12 s each, before and after; each is divided by one that nobody attaches to, in the same turn.
                Change: the median after over the median before, with its bootstrap 95 % interval. Two sets of fresh
                JVMs. The row of another JVM that nobody attaches to is the noise.""",
                "JDK", "program", "between", "windows", "change by the clock, %",
                "change by CPU time, %");
        for (Jdk jdk : hosts()) {
            for (Turns.Work work : worksOf(jdk)) {
                AfterDetach.measure(page, jdk, work, settings.turns());
            }
        }
        return page;
    }

    private Page render(Renderings.Simulated simulated) {
        Page page = new Page("render-" + simulated.name().toLowerCase(Locale.ROOT), "Large recordings: " + simulated.title(), """
                A capture of a simulated program, written through the recorder's stack table and writer in a JVM with the
                launcher's options and a heap of %d MB, then converted to each format by `mayfly convert`. Memory of the
                conversion: of all its processes, the most that was resident at once at any of the looks, 20 ms apart; and
                the sum of what each has had at most. CPU: of all processes. Due: %s.""".formatted(simulated.heap(), simulated.due()),
                "recording", "what", "resident, MB", "each at most, MB", "CPU, s");
        Renderings.measure(page, settings.captures().toString().isEmpty() ? folder : settings.captures(), simulated);
        return page;
    }

    private Page attached() {
        Page page = new Page("attached", "Cost while attached, without an event", """
                Windows of 0.25 s in which a profiler is attached that asked for no event, in turns with windows in
                which none is, in one JVM. Loss: median over the pairs of 1 − rate attached / mean rate of the two
                neighbours, with its bootstrap 95 % interval. Noise: the same of windows without, against their
                neighbours without.""",
                "JDK", "program", "pairs", "loss by the clock, %", "noise", "loss by CPU time, %", "noise");
        for (Jdk jdk : hosts()) {
            for (Turns.Work work : worksOf(jdk)) {
                WhileAttached.measure(page, jdk, work, settings.pairs());
            }
        }
        return page;
    }

    private Page leaf() {
        Page page = new Page("leaf", "Methods at the leaf of compiled code", """
                Compilers record debug information at calls and polls only, unless the JVM has
                `-XX:+DebugNonSafepoints`. How wrong self time by method becomes by that: the total variation distance
                of two distributions of self time, in per cent of all samples. Rules: one JVM with the flag, each
                sample decoded as it is, and by each rule with all debug information hidden that is not at an oop map.
                *After* is HotSpot's own rule, and that of other profilers; *branches* is Mayfly's. Runs: a JVM without
                the flag against two with it, each profiled after 15 s by Mayfly and then by async-profiler, which is
                loaded only then; and these two against each other, which is the noise. Certain: samples whose leaf
                needs no rule, also without the flag. See [accuracy](accuracy.md).""",
                "JDK", "program", "samples", "in C2 code, %", "in C1 code, %", "certain, %", "after", "before", "common",
                "branches", "Mayfly: noise", "Mayfly: without the flag", "async-profiler: noise",
                "async-profiler: without the flag");
        for (Jdk jdk : settings.jdks()) {
            for (int i = 0; i < Leaves.programs(jdk).size(); i++) {
                Leaves.measure(page, folder, rivals, jdk, i, settings.recording());
            }
        }
        return page;
    }

    private Page starts() {
        Page page = new Page("starts", "Stacks from the first instruction to the end", """
                `mayfly run` at 999 Hz, all runs pooled. The last 0.2 s of the program's life are those that are walked
                after its end. The young threads live for 30 ms of CPU time each, below a native method with a buffer of
                which one page was ever touched. Due: at least 99.95 % complete of Hello and the demo, 99.9 % of the young
                threads, nothing lost at the end.""",
                "JDK", "program", "runs", "samples", "complete, %", "of the last 0.2 s, %", "the rest");
        for (Jdk jdk : settings.jdks()) {
            Starts.measure(page, folder, jdk, settings.runs());
        }
        Starts.demo(page, folder, 2);
        return page;
    }

    private Page detachPauses() {
        Page page = new Page("detach-pauses", "Pauses of a detach with a large heap", """
                A program that keeps %d MiB alive, in objects of 256 bytes, and allocates 20 MiB a second, with a heap of
                at most twice as much. Pauses are those in the JVM's own log of safepoints, stalls those by a clock of the
                program that ticks each millisecond, which also counts what others do on the machine. Own: in 10 s before,
                without a profiler. During: from the request to detach until the profiler was gone, at most 10 s with G1, Serial
                and Parallel, where the detach may wait for the program's own collection, and 120 s with the others.
                Due on G1, ZGC and Shenandoah: no pause above the greater of 10 ms and twice the program's own longest. CPU is of\
                 the whole process until the profiler was
                gone, the program's included.""".formatted(settings.live()),
                "JDK", "collector", "own longest pause, ms", "own longest stall, ms", "pauses during",
                "longest pause during, ms", "longest stall during, ms", "due, ms", "held", "gone after, s", "CPU, s",
                "what it waits for");
        for (Jdk jdk : hosts()) {
            for (DetachPauses.Collector collector : DetachPauses.Collector.values()) {
                page.progress("detach-pauses: " + jdk + ", " + collector);
                DetachPauses.measure(page, folder, jdk, collector, settings.live());
            }
        }
        return page;
    }

    private Page startUp() {
        Page page = new Page("startup", "Start-up", """
                From the command to sampling, one CPU-bound target, after one run to warm up. The rivals' figures end
                when their command has ended, which is when they sample; Mayfly's at the time of its first sample.""",
                "JDK", "profiler", "runs", "until", "median, ms", "least, ms", "90 %, ms");
        for (Jdk jdk : settings.jdks()) {
            StartUps.measure(page, rivalsOf(jdk), jdk, 20);
        }
        return page;
    }
}
