package mayfly.record;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
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
import mayfly.record.event.EventSources;
import mayfly.record.event.SourceRequest;
import mayfly.runtime.ManagedRuntime;
import org.jspecify.annotations.Nullable;

/** All parts of a recording, opened in this order: the target, the events, its runtimes, the file. */
record RecordingSetup(
        RecordingOptions options,
        RecordingClock clock,
        RecordedTarget target,
        SamplingStart start,
        Recorder.Shared shared,
        List<Recorder> recorders,
        FrameSymbols symbols,
        String describe) {

    static RecordingSetup ofRunning(int pid, RecordingOptions options, Path captureFile) throws Refused {
        try (Owned owned = new Owned()) {
            InspectedProcess target = owned.add(InspectedProcess.openUnread(pid));
            SourceRequest request = request(target, options, false);
            SamplingStart start = startAndRead(target, options, request);
            if (start == null) {
                target.awaitStart();
                target.requireRuntime();
                start = SamplingStart.later(EventSources.open(options.events(), options.collector(), request), target);
            }
            owned.add(start.sources());
            start.sources().requireSupport();
            return owned.release(
                    of(new InspectedTarget(target, null), start, options, captureFile, target.commandLine()));
        }
    }

    /**
     * Starts sampling if the samples can wait, and reads the runtimes of a target meanwhile. Returns null if the
     * sources are not open: because some stop threads or are refused, because the target has no runtime yet, or because
     * reading it took too long.
     */
    private static @Nullable SamplingStart startAndRead(
            InspectedProcess target, RecordingOptions options, SourceRequest request) throws Refused {
        EventSources sources = EventSources.openWithoutStops(options.events(), options.collector(), request);
        if (sources == null) {
            target.findRuntimes();
            return null;
        }
        try (Owned owned = new Owned()) {
            owned.add(sources);
            SamplingStart start = SamplingStart.now(sources, target);
            target.findRuntimes();
            return target.runtimes().isEmpty() || start.isOverdue(RecordingClock.MONOTONIC.nanos())
                    ? null
                    : owned.release(start);
        }
    }

    static RecordingSetup ofSpawned(SpawnedProcess spawned, RecordingOptions options, Path captureFile) throws Refused {
        try (Owned owned = new Owned()) {
            InspectedProcess target = owned.add(InspectedProcess.open(spawned.pid()));
            SourceRequest request = request(target, options, true);
            EventSources sources = EventSources.open(options.events(), options.collector(), request);
            owned.add(sources);
            return owned.release(of(
                    new InspectedTarget(target, spawned),
                    SamplingStart.later(sources, target),
                    options,
                    captureFile,
                    CommandLine.ofCommand(spawned.command())));
        }
    }

    private static SourceRequest request(InspectedProcess target, RecordingOptions options, boolean spawned) {
        return new SourceRequest(
                target,
                options.rateHz(),
                options.kernel(),
                spawned,
                options.minWait().toNanos());
    }

    private static RecordingSetup of(
            InspectedTarget recorded,
            SamplingStart start,
            RecordingOptions options,
            Path captureFile,
            CommandLine commandLine)
            throws Refused {
        InspectedProcess target = recorded.process();
        boolean spawned = recorded.isSpawned();
        EventSources sources = start.sources();
        try {
            String description = sources.description();
            String describe = describe(target, options, description);
            CaptureWriter writer =
                    CaptureWriter.create(captureFile, recording(target, options, commandLine, description, start));
            writer.identifyLibraries(target::buildId);
            ThreadNames threads =
                    new ThreadNames(ThreadNames.ListedThreads.of(target.process()), writer, new RuntimeThreads(target));
            KernelFrames kernel = new KernelFrames(symbols(sources.hasKernelFrames(), spawned));
            var shared = new Recorder.Shared(recorded, writer, threads, kernel);
            FrameSymbols symbols = new FrameSymbols(
                    target.code(), target.formerCode(), shared.stacks(), writer, RecordingClock.MONOTONIC.nanos());
            return new RecordingSetup(
                    options,
                    RecordingClock.MONOTONIC,
                    recorded,
                    start,
                    shared,
                    recorders(shared, sources, options),
                    symbols,
                    describe);
        } catch (IOException e) {
            throw Refusals.unprepared(target.process(), captureFile, e);
        }
    }

    private static List<Recorder> recorders(Recorder.Shared shared, EventSources sources, RecordingOptions options) {
        var recorders = new ArrayList<Recorder>();
        for (ChosenSource each : sources.chosen()) {
            Ledger.Builder ledger =
                    Ledger.builder(each.source().description(), each.event().rate(options.rateHz()));
            each.notes().forEach(ledger::note);
            recorders.add(new Recorder(shared, each.event(), recorders.size(), ledger));
        }
        return recorders;
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
        String rate = options.isRated() ? " at " + options.rateHz() + " Hz" : "";
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
            InspectedProcess target,
            RecordingOptions options,
            CommandLine commandLine,
            String collector,
            SamplingStart start) {
        Instant wall = Instant.now();
        long now = System.nanoTime();
        long began = start.isEarly() ? start.nanos() : now;
        return new Recording(
                target.process().pid(),
                commandLine.text(),
                commandLine.mainClass(),
                target.runtimes().stream().map(RecordingSetup::recorded).toList(),
                options.events().stream()
                        .map(event -> event.sampled(options.rateHz()))
                        .toList(),
                collector,
                System.getProperty("os.version", ""),
                Runtime.getRuntime().availableProcessors(),
                wall.getEpochSecond() * 1_000_000_000L + wall.getNano() - (now - began),
                began);
    }
}
