package mayfly.record.event;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import mayfly.discovery.Doctor.Need;
import mayfly.discovery.InspectedProcess;
import mayfly.discovery.Refused;
import mayfly.discovery.Refused.Reason;
import mayfly.process.MemoryFault;
import mayfly.profile.CaptureWriteException;
import mayfly.profile.Frame;
import mayfly.profile.Ledger;
import mayfly.profile.RuntimeId;
import mayfly.profile.WalkOutcome;
import mayfly.record.collection.CollectionTotals;
import mayfly.record.collection.CollectionWatch;
import mayfly.record.collection.ObservedPause;
import mayfly.record.event.SourceCost.StackCopy;
import mayfly.record.suspension.SuspenderThreads;
import mayfly.runtime.ManagedRuntime;
import mayfly.runtime.collection.Collection;
import mayfly.runtime.collection.Collections;

/**
 * The pauses of the runtimes' garbage collectors, each with its collector, its cause and its duration. The runtimes
 * count them; the counters are read a thousand times a second, and no thread is sampled.
 */
final class GcSource implements EventSource {
    /** Declared before the kinds, whose initialisers use it. */
    private static final SourceCost COST =
            new SourceCost(0, SourceCost.ANY_RATE, List.of(new StackCopy(SourceCost.ANY_RATE, 0)));

    /** The counters are read in the same way beside every collector of other events. */
    static final List<SourceKind> COUNTERS =
            List.of(kind(Collector.SYSTEM_WIDE), kind(Collector.PER_THREAD), kind(Collector.PTRACE));

    private static final int LOOK_MILLIS = 1;
    /** Beside other events, which wait a millisecond too, a look is due a little earlier than after a whole one. */
    private static final long LOOK_NANOS = LOOK_MILLIS * 1_000_000L / 2;

    /** Upper bound on the causes: each is a frame of its own in the capture. HotSpot has some 30. */
    private static final int MAX_CAUSES = 200;

    private static final String COLLECTION = "[collection]";

    private final InspectedProcess target;
    private final boolean spawned;
    private final Function<ManagedRuntime, Optional<Collections>> collections;
    private final SuspenderThreads executors;
    private final Map<RuntimeId, CollectionWatch> watches = new LinkedHashMap<>();
    private final CollectionTotals totals = new CollectionTotals();
    private final Set<String> causes = new HashSet<>();
    private int knownRuntimes;
    private boolean sampling;
    private long begun;
    private long lastLook;

    /**
     * Creates a source.
     *
     * @param spawned true if the target's runtimes are started during the recording
     * @param collections returns those of a runtime, empty if it does not count them
     */
    GcSource(InspectedProcess target, boolean spawned, Function<ManagedRuntime, Optional<Collections>> collections) {
        this.target = target;
        this.spawned = spawned;
        this.collections = collections;
        this.executors = new SuspenderThreads(target);
    }

    private static SourceKind kind(Collector collector) {
        return new SourceKind(
                collector,
                Set.of(Need.MEMORY),
                COST,
                List.of(),
                (request, kind) -> new GcSource(request.target(), request.spawned(), ManagedRuntime::collections));
    }

    @Override
    public void requireSupport() throws Refused {
        if (target.runtimes().stream().map(collections).allMatch(Optional::isEmpty)) {
            throw new Refused(
                    Reason.UNSUPPORTED_VM,
                    "the JVM has no counters of collection pauses",
                    "start it with -XX:+UsePerfData, which is the default. Shenandoah, Epsilon and the ZGC of JDK 11"
                            + " have no such counters: -e safepoint records the pauses of all collectors");
        }
    }

    @Override
    public void enable() {
        sampling = true;
        begun = System.nanoTime();
        look();
    }

    @Override
    public boolean await(int timeoutMillis) {
        long deadline = System.nanoTime() + timeoutMillis * 1_000_000L;
        while (true) {
            boolean goesOn = !target.process().life().awaitExit(Math.min(LOOK_MILLIS, timeoutMillis));
            lookIfDue();
            if (!goesOn || System.nanoTime() - deadline >= 0) {
                return goesOn;
            }
        }
    }

    @Override
    public int intervalMillis() {
        return LOOK_MILLIS;
    }

    private void lookIfDue() {
        if (sampling && System.nanoTime() - lastLook >= LOOK_NANOS) {
            look();
        }
    }

    /** Reads the latest pauses of each runtime. */
    private void look() {
        findRuntimes();
        for (CollectionWatch watch : watches.values()) {
            try {
                watch.look();
            } catch (MemoryFault e) {
                continue; // the process is ending, which the next wait reports
            }
        }
        lastLook = System.nanoTime();
    }

    private void findRuntimes() {
        if (knownRuntimes == target.runtimes().size()) {
            return;
        }
        long since = spawned || knownRuntimes > 0 ? CollectionWatch.ALL : begun;
        knownRuntimes = target.runtimes().size();
        for (ManagedRuntime runtime : target.runtimes()) {
            collections
                    .apply(runtime)
                    .ifPresent(its -> watches.computeIfAbsent(
                            runtime.id(), id -> new CollectionWatch(its, System::nanoTime, since)));
        }
    }

    @Override
    public void drain(SampleSink sink) throws CaptureWriteException {
        lookIfDue();
        for (Map.Entry<RuntimeId, CollectionWatch> watched : watches.entrySet()) {
            RuntimeId runtime = watched.getKey();
            CollectionWatch watch = watched.getValue();
            for (ObservedPause next = watch.take(); next != null; next = watch.take()) {
                write(runtime, watch, next, sink);
            }
            for (ObservedPause open : sampling ? List.<ObservedPause>of() : watch.finish(lastLook)) {
                write(runtime, watch, open, sink);
            }
        }
    }

    private void write(RuntimeId runtime, CollectionWatch watch, ObservedPause pause, SampleSink sink)
            throws CaptureWriteException {
        totals.add(pause);
        sink.begin();
        if (!pause.cause().isEmpty()) {
            boolean isKnown = causes.contains(pause.cause()) || causes.size() < MAX_CAUSES;
            causes.add(isKnown ? pause.cause() : Collection.UNKNOWN);
            sink.accept(new Frame.Stub(runtime, "[" + (isKnown ? pause.cause() : Collection.UNKNOWN) + "]"));
        }
        sink.accept(new Frame.Stub(runtime, "[" + pause.collector() + "]"));
        sink.accept(new Frame.Stub(runtime, COLLECTION));
        long[] values = {pause.nanos(), sink.word(pause.kind().word())};
        sink.write(executors.tid(runtime, watch::executor), pause.ended(), values, WalkOutcome.COMPLETE);
    }

    @Override
    public long holdsNanos() {
        return Long.MAX_VALUE; // what was read waits in this process
    }

    @Override
    public boolean hasRoom() {
        return true;
    }

    @Override
    public void disable() {
        look();
        sampling = false;
    }

    @Override
    public long lost() {
        return 0;
    }

    @Override
    public void discard() {
        watches.clear();
        executors.clear();
        knownRuntimes = 0;
    }

    @Override
    public String description() {
        return "the JVM's counters of collection pauses, read 1,000 times a second";
    }

    @Override
    public void account(Ledger.Builder ledger) {
        if (!watches.isEmpty()) {
            long missed = 0;
            long missedNanos = 0;
            for (CollectionWatch watch : watches.values()) {
                missed += watch.missed();
                missedNanos += watch.missedNanos();
            }
            totals.notes(missed, missedNanos, lastLook - begun).forEach(ledger::note);
        }
        for (ManagedRuntime runtime : target.runtimes()) {
            if (!watches.containsKey(runtime.id())) {
                ledger.alarm("the collections of " + runtime.line() + " are missing: it has no counters of them");
            }
        }
    }

    @Override
    public void close() {
        // nothing is open
    }
}
