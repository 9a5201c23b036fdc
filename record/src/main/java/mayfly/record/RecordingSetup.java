package mayfly.record;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import mayfly.discovery.CommandLine;
import mayfly.discovery.InspectedProcess;
import mayfly.discovery.Refusals;
import mayfly.discovery.RuntimeThreads;
import mayfly.discovery.SessionRefused.Reason;
import mayfly.discovery.SessionRefused;
import mayfly.discovery.SpawnedProcess;
import mayfly.linux.LiveProcess;
import mayfly.linux.perf.PerfCollector;
import mayfly.linux.perf.PerfOptions;
import mayfly.linux.perf.PerfUnavailable;
import mayfly.linux.proc.KernelSymbols;
import mayfly.profile.Ledger;
import mayfly.profile.RecordedRuntime;
import mayfly.profile.Recording;
import mayfly.profile.capture.CaptureWriter;
import mayfly.runtime.ManagedRuntime;

/**
 * All parts of a recording, opened in the order in which they can fail: the target, its runtime, the events, the file.
 */
record RecordingSetup(RecordingOptions options, InspectedProcess target, EventSource source, CaptureWriter writer, Recorder recorder,
                   Ledger.Builder ledger, String describe) {
    /**
     * Upper bound on a ring: half a second of samples at 999 Hz; smaller if the permitted locked memory is exceeded.
     */
    private static final int RING_BYTES = 16 << 20;

    static RecordingSetup ofRunning(int pid, RecordingOptions options, Path captureFile) throws SessionRefused {
        InspectedProcess target = InspectedProcess.open(pid);
        try {
            target.awaitStart();
            target.requireRuntime();
            return open(target, options, captureFile, target.commandLine(), false);
        } catch (SessionRefused | RuntimeException e) {
            target.close();
            throw e;
        }
    }

    static RecordingSetup ofSpawned(SpawnedProcess spawned, RecordingOptions options, Path captureFile)
            throws SessionRefused {
        InspectedProcess target = InspectedProcess.open(spawned.pid());
        try {
            return open(target, options, captureFile, CommandLine.ofCommand(spawned.command()), true);
        } catch (SessionRefused | RuntimeException e) {
            target.close();
            throw e;
        }
    }

    private static RecordingSetup open(InspectedProcess target, RecordingOptions options, Path captureFile,
                                    CommandLine commandLine, boolean spawned)
            throws SessionRefused {
        Opened opened = openCollector(target.process(), options, spawned);
        EventSource source = null;
        CaptureWriter writer = null;
        boolean done = false;
        try {
            String description = opened.description(options.event());
            String describe = describe(target, options, description);
            writer = CaptureWriter.create(captureFile, recording(target, options, commandLine, description));
            writer.identifyLibraries(new BuildIds(target));
            ThreadNames threads = new ThreadNames(target.process(), writer, new RuntimeThreads(target));
            source = opened.source(target, threads, options);
            Ledger.Builder ledger = Ledger.builder(description, options.rateHz());
            opened.notes().forEach(ledger::note);
            Recorder recorder = new Recorder(target, writer, threads, ledger, new KernelFrames(opened.kernelSymbols(options)));
            done = true;
            return new RecordingSetup(options, target, source, writer, recorder, ledger, describe);
        } catch (IOException e) {
            throw Refusals.unprepared(target.process(), captureFile, e);
        } finally {
            if (!done) {
                opened.close();
            }
        }
    }

    /** A permitted method of sampling, and notes about the choice. */
    private record Opened(Optional<PerfCollector> perf, boolean systemWide, List<String> notes) {

        String description(RecordingEvent event) {
            return perf.map(PerfCollector::description).orElseGet(() -> PtraceSource.description(event));
        }

        EventSource source(InspectedProcess target, ThreadNames threads, RecordingOptions options) {
            return perf.<EventSource>map(collector -> new PerfSource(target, collector, threads,
                            options.kernel() && collector.seesKernel(), systemWide))
                    .orElseGet(() -> new PtraceSource(target, options.event(), options.rateHz(), threads));
        }

        /**
         * Returns the kernel's symbols if its frames are recorded: a recording that is killed contains their names
         * too.
         */
        KernelSymbols kernelSymbols(RecordingOptions options) {
            boolean needed = options.kernel() && perf.filter(PerfCollector::seesKernel).isPresent();
            return needed ? KernelSymbols.read() : KernelSymbols.none();
        }

        void close() {
            perf.ifPresent(PerfCollector::close);
        }
    }

    private static Opened openCollector(LiveProcess process, RecordingOptions options, boolean spawned)
            throws SessionRefused {
        List<String> notes = new ArrayList<>();
        List<SessionRefused> refusals = new ArrayList<>();
        for (Collector collector : order(options)) {
            try {
                switch (collector) {
                    case SYSTEM_WIDE -> {
                        PerfOptions perf = perf(options, spawned, true);
                        return opened(PerfCollector.systemWide(process, perf), true, notes);
                    }
                    case PER_THREAD -> {
                        PerfOptions perf = perf(options, spawned, false);
                        return opened(PerfCollector.perThread(process, perf), false, notes);
                    }
                    case PTRACE -> {
                        PtraceSource.requirePermitted(process);
                        return new Opened(Optional.empty(), false, notes);
                    }
                    case AUTO -> throw new IllegalStateException();
                }
            } catch (PerfUnavailable e) {
                SessionRefused refusal = Refusals.of(e);
                if (refusal.reason() == Reason.RATE_TOO_HIGH || refusal.reason() == Reason.TARGET_GONE) {
                    throw refusal;
                }
                refusals.add(refusal);
                notes.add(collector.id() + " sampling is not possible here: " + Refusals.text(e));
            } catch (IOException e) {
                refusals.add(new SessionRefused(Reason.UNSUPPORTED_KERNEL, Refusals.text(e), ""));
                notes.add(collector.id() + " sampling is not possible here: " + Refusals.text(e));
            } catch (SessionRefused e) {
                refusals.add(e);
                notes.add(collector.id() + " sampling is not possible here: " + Refusals.text(e));
            }
        }
        throw Refusals.noCollector(process.pid(), notes, refusals);
    }

    private static PerfOptions perf(RecordingOptions options, boolean spawned, boolean systemWide) {
        return new PerfOptions(options.rateHz(), stackBytes(options.rateHz(), systemWide), options.kernel(), spawned,
                RING_BYTES);
    }

    /**
     * Returns the number of stack bytes to copy. A record takes this much room in the ring regardless of the depth of
     * the stack, and the ring must hold the records that arrive while this process is prevented from draining it.
     * System-wide, at low rates, there is room for the maximum of a record, so that even most stacks of compiler
     * threads fit.
     */
    private static int stackBytes(int hz, boolean systemWide) {
        return hz <= 250 && systemWide ? 62 << 10 : hz <= 2_000 ? 32 << 10 : 16 << 10;
    }

    private static Opened opened(PerfCollector collector, boolean systemWide, List<String> notes) {
        return new Opened(Optional.of(collector), systemWide, notes);
    }

    /**
     * Returns the collectors to try. The kernel's clocks sample running threads only; blocked threads must be read
     * separately.
     */
    private static List<Collector> order(RecordingOptions options) {
        return options.event() == RecordingEvent.WALL ? List.of(Collector.PTRACE)
                : options.collector() == Collector.AUTO
                ? List.of(Collector.SYSTEM_WIDE, Collector.PER_THREAD, Collector.PTRACE)
                : List.of(options.collector());
    }

    private static String describe(InspectedProcess target, RecordingOptions options, String collector) {
        String version = "";
        if (!target.runtimes().isEmpty()) {
            ManagedRuntime first = target.runtimes().getFirst();
            version = ", " + first.kind() + " " + first.version();
        }
        return "sampling process " + target.process().pid() + version + " at " + options.rateHz() + " Hz, " + collector;
    }

    /** A runtime as a capture describes it. */
    static RecordedRuntime recorded(ManagedRuntime runtime) {
        String known = runtime.id() + " " + runtime.kind() + " " + runtime.version();
        return new RecordedRuntime(runtime.id(), runtime.kind(), runtime.line().substring(known.length()).strip(),
                runtime.version());
    }

    private static Recording recording(InspectedProcess target, RecordingOptions options, CommandLine commandLine,
                                       String collector) {
        Instant now = Instant.now();
        return new Recording(target.process().pid(), commandLine.text(), commandLine.mainClass(),
                target.runtimes().stream().map(RecordingSetup::recorded).toList(),
                List.of(options.event().sampled(options.rateHz())), collector, System.getProperty("os.version", ""),
                Runtime.getRuntime().availableProcessors(),
                now.getEpochSecond() * 1_000_000_000L + now.getNano(), System.nanoTime());
    }
}
