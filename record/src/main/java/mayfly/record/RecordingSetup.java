package mayfly.record;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;
import mayfly.discovery.CommandLine;
import mayfly.discovery.InspectedProcess;
import mayfly.discovery.Refusals;
import mayfly.discovery.Refused;
import mayfly.discovery.RuntimeThreads;
import mayfly.discovery.SpawnedProcess;
import mayfly.linux.proc.KernelSymbols;
import mayfly.linux.sys.Owned;
import mayfly.profile.Ledger;
import mayfly.profile.RecordedRuntime;
import mayfly.profile.Recording;
import mayfly.profile.capture.CaptureWriter;
import mayfly.record.event.ChosenSource;
import mayfly.record.event.EventSource;
import mayfly.record.event.SourceRequest;
import mayfly.runtime.ManagedRuntime;

/**
 * All parts of a recording, opened in the order in which they can fail: the target, its runtime, the events, the file.
 */
record RecordingSetup(
        RecordingOptions options,
        RecordingClock clock,
        RecordedTarget target,
        EventSource source,
        CaptureWriter writer,
        Recorder recorder,
        FrameSymbols symbols,
        CpuAccount cpu,
        Ledger.Builder ledger,
        String describe) {

    static RecordingSetup ofRunning(int pid, RecordingOptions options, Path captureFile) throws Refused {
        InspectedProcess target = InspectedProcess.open(pid);
        try {
            target.awaitStart();
            target.requireRuntime();
            return open(new InspectedTarget(target, null), options, captureFile, target.commandLine());
        } catch (Refused | RuntimeException e) {
            target.close();
            throw e;
        }
    }

    static RecordingSetup ofSpawned(SpawnedProcess spawned, RecordingOptions options, Path captureFile) throws Refused {
        InspectedProcess target = InspectedProcess.open(spawned.pid());
        try {
            return open(
                    new InspectedTarget(target, spawned),
                    options,
                    captureFile,
                    CommandLine.ofCommand(spawned.command()));
        } catch (Refused | RuntimeException e) {
            target.close();
            throw e;
        }
    }

    private static RecordingSetup open(
            InspectedTarget recorded, RecordingOptions options, Path captureFile, CommandLine commandLine)
            throws Refused {
        InspectedProcess target = recorded.process();
        boolean spawned = recorded.isSpawned();
        ChosenSource chosen = ChosenSource.open(
                options.event(),
                options.collector(),
                new SourceRequest(target, options.rateHz(), options.kernel(), spawned));
        EventSource source = chosen.source();
        try (Owned owned = new Owned()) {
            owned.add(source);
            String description = source.description();
            String describe = describe(target, options, description);
            CaptureWriter writer =
                    CaptureWriter.create(captureFile, recording(target, options, commandLine, description));
            writer.identifyLibraries(new BuildIds(target));
            ThreadNames threads =
                    new ThreadNames(ThreadNames.ListedThreads.of(target.process()), writer, new RuntimeThreads(target));
            Ledger.Builder ledger = Ledger.builder(description, options.event().rate(options.rateHz()));
            chosen.notes().forEach(ledger::note);
            KernelFrames kernel = new KernelFrames(symbols(source.hasKernelFrames(), spawned));
            Recorder recorder = new Recorder(recorded, options.event(), writer, threads, ledger, kernel);
            FrameSymbols symbols = new FrameSymbols(
                    target.code(), target.formerCode(), recorder.stacks(), writer, RecordingClock.MONOTONIC.nanos());
            CpuAccount cpu = CpuAccount.of(target.process().facts(), source.seesKernel());
            return owned.release(new RecordingSetup(
                    options,
                    RecordingClock.MONOTONIC,
                    recorded,
                    source,
                    writer,
                    recorder,
                    symbols,
                    cpu,
                    ledger,
                    describe));
        } catch (IOException e) {
            throw Refusals.unprepared(target.process(), captureFile, e);
        }
    }

    /** Reads the symbols now if Mayfly starts the program; at the first kernel frame if the program already runs. */
    private static Supplier<KernelSymbols> symbols(boolean hasKernelFrames, boolean spawned) {
        if (!hasKernelFrames) {
            return KernelSymbols::none;
        }
        if (spawned) {
            KernelSymbols read = KernelSymbols.read();
            return () -> read;
        }
        return KernelSymbols::read;
    }

    private static String describe(InspectedProcess target, RecordingOptions options, String collector) {
        String version = "";
        if (!target.runtimes().isEmpty()) {
            ManagedRuntime first = target.runtimes().getFirst();
            version = ", " + first.kind() + " " + first.version();
        }
        String rate = options.event().isRated() ? " at " + options.rateHz() + " Hz" : "";
        return "sampling process " + target.process().pid() + version + rate + ", " + collector;
    }

    /** A runtime as a capture describes it. */
    static RecordedRuntime recorded(ManagedRuntime runtime) {
        String known = runtime.id() + " " + runtime.kind() + " " + runtime.version();
        return new RecordedRuntime(
                runtime.id(),
                runtime.kind(),
                runtime.line().substring(known.length()).strip(),
                runtime.version());
    }

    private static Recording recording(
            InspectedProcess target, RecordingOptions options, CommandLine commandLine, String collector) {
        Instant now = Instant.now();
        return new Recording(
                target.process().pid(),
                commandLine.text(),
                commandLine.mainClass(),
                target.runtimes().stream().map(RecordingSetup::recorded).toList(),
                List.of(options.event().sampled(options.rateHz())),
                collector,
                System.getProperty("os.version", ""),
                Runtime.getRuntime().availableProcessors(),
                now.getEpochSecond() * 1_000_000_000L + now.getNano(),
                System.nanoTime());
    }
}
