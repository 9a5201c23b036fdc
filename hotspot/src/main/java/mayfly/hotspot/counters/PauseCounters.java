package mayfly.hotspot.counters;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import mayfly.hotspot.tables.UncachedMemory;
import mayfly.hotspot.tables.VmLayout;
import mayfly.hotspot.threads.VmThread;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.runtime.ModuleSymbols;
import mayfly.runtime.collection.Collection;
import mayfly.runtime.collection.Collections;

/**
 * The latest pause of each collector, from the counters {@code sun.gc.collector.N.*}, see collectorCounters.cpp.
 *
 * <p>At the begin of a pause, the VM adds one to {@code invocations} and then sets {@code lastEntryTime}; at the end,
 * it sets {@code lastExitTime} and then adds the duration to {@code time}. The times are os::elapsed_counter(), in
 * nanoseconds. A reading has these numbers of all collectors twice, before and after the causes: if they are equal,
 * they are those of one moment.
 */
public final class PauseCounters implements Collections {
    private static final int ATTEMPTS = 4;
    /** Upper bound on the numbers of collectors. G1 and ZGC use 0 to 2. */
    private static final int MAX_COLLECTORS = 8;

    private static final int MAX_TEXT = 80;
    /** The numbers of a collector. */
    private static final int NUMBERS = 4;

    private static final long NANOS_PER_SECOND = 1_000_000_000;
    private static final long UNKNOWN = Long.MAX_VALUE;
    /** The value of CLOCK_MONOTONIC at which os::elapsed_counter() is 0. */
    private static final String START = "_ZL18initial_time_count";
    /** A number of 64 bits, 32 in JDK 11: odd at a safepoint, and greater by two after each. */
    private static final String SAFEPOINTS = "_ZN20SafepointSynchronize18_safepoint_counterE";

    private final Memory memory;
    private final VmThread executor;
    private final List<Counted> collectors;
    private final PauseCauses causes;
    private final long[] addresses;
    private final long[] words;
    /** The address of the number of safepoints; 0 if it is not known, as in a library without symbols. */
    private final long safepoints;

    private final TextPlace cause;
    private final int causeAt;
    private final TextPlace lastCause;
    private final int lastCauseAt;
    private final boolean isStartKnown;
    private long start;
    /** The latest time of the last reading; -1 before the first. */
    private long latestTime = -1;

    /** A collector whose pauses are counted. */
    private record Counted(String name, PauseKind pauses) {}

    private PauseCounters(
            Memory memory, CounterArea area, List<Integer> ordinals, VmThread executor, ModuleSymbols symbols) {
        this.memory = memory;
        this.executor = executor;
        this.start = start(memory, symbols);
        this.isStartKnown = start != UNKNOWN;
        this.collectors = ordinals.stream()
                .map(ordinal -> name(area, ordinal))
                .map(name -> new Counted(name, PauseKind.of(name)))
                .toList();
        this.causes = new PauseCauses(
                collectors.stream().map(each -> each.pauses().causes()).toList());
        this.safepoints = symbols.address(SAFEPOINTS);
        this.cause = area.textAt("sun.gc.cause", MAX_TEXT);
        this.lastCause = area.textAt("sun.gc.lastCause", MAX_TEXT);
        int numbers = NUMBERS * ordinals.size();
        this.causeAt = safepoints == 0 ? numbers : numbers + 1;
        this.lastCauseAt = causeAt + cause.words();
        int again = lastCauseAt + lastCause.words();
        this.addresses = new long[again + numbers];
        this.words = new long[addresses.length];
        for (int i = 0; i < ordinals.size(); i++) {
            long[] its = numbersAt(area, ordinals.get(i));
            System.arraycopy(its, 0, addresses, NUMBERS * i, NUMBERS);
            System.arraycopy(its, 0, addresses, again + NUMBERS * i, NUMBERS);
        }
        if (safepoints != 0) {
            addresses[numbers] = safepoints & -8;
        }
        cause.addTo(addresses, causeAt);
        lastCause.addTo(addresses, lastCauseAt);
    }

    /**
     * Returns the pauses of a VM. Empty if it keeps no counters, as with {@code -XX:-UsePerfData}, or if none of them
     * counts pauses and nothing else.
     */
    public static Optional<Collections> of(Memory memory, ModuleSymbols symbols, VmLayout layout) {
        Optional<CounterArea> read = CounterArea.read(memory, layout);
        if (read.isEmpty() || read.get().number("sun.os.hrt.frequency", NANOS_PER_SECOND) != NANOS_PER_SECOND) {
            return Optional.empty();
        }
        CounterArea area = read.get();
        List<Integer> ordinals = new ArrayList<>();
        for (int ordinal = 0; ordinal < MAX_COLLECTORS; ordinal++) {
            boolean isComplete = Arrays.stream(numbersAt(area, ordinal)).allMatch(address -> address != 0);
            if (isComplete && PauseKind.areOnlyPauses(name(area, ordinal))) {
                ordinals.add(ordinal);
            }
        }
        if (ordinals.isEmpty()) {
            return Optional.empty();
        }
        Memory now = new UncachedMemory(memory);
        VmThread executor = new VmThread(now, layout, symbols);
        return Optional.of(new PauseCounters(now, area, ordinals, executor, symbols));
    }

    private static String name(CounterArea area, int ordinal) {
        String name = area.text("sun.gc.collector." + ordinal + ".name", MAX_TEXT);
        return name.isEmpty() ? "collector " + ordinal : name;
    }

    /** Returns the addresses of a collector's numbers, in the order in which the VM sets them; 0 for a missing one. */
    private static long[] numbersAt(CounterArea area, int ordinal) {
        String prefix = "sun.gc.collector." + ordinal + ".";
        return new long[] {
            area.numberAt(prefix + "invocations"),
            area.numberAt(prefix + "lastEntryTime"),
            area.numberAt(prefix + "lastExitTime"),
            area.numberAt(prefix + "time")
        };
    }

    /** Returns {@link #UNKNOWN} if the start of the VM's clock is not known, as in a library without symbols. */
    private static long start(Memory memory, ModuleSymbols symbols) {
        long address = symbols.address(START);
        try {
            long start = address == 0 ? 0 : memory.readLong(address);
            return start > 0 ? start : UNKNOWN;
        } catch (MemoryFault e) {
            return UNKNOWN; // the process is ending
        }
    }

    @Override
    public Optional<List<Collection>> latest() throws MemoryFault {
        int numbers = NUMBERS * collectors.size();
        for (int i = 0; i < ATTEMPTS; i++) {
            memory.gather(addresses, addresses.length, words);
            if (Arrays.equals(words, 0, numbers, words, words.length - numbers, words.length)) {
                return Optional.of(read());
            }
        }
        return Optional.empty();
    }

    private List<Collection> read() {
        List<Collection> read = new ArrayList<>(collectors.size());
        long latest = 0;
        for (int i = 0; i < collectors.size(); i++) {
            Counted collector = collectors.get(i);
            long entry = words[NUMBERS * i + 1];
            long exit = words[NUMBERS * i + 2];
            read.add(new Collection(
                    collector.name(),
                    collector.pauses().kind(),
                    words[NUMBERS * i],
                    words[NUMBERS * i + 3],
                    Math.max(entry, 0),
                    exit < entry ? 0 : Math.max(exit, 0),
                    Collection.UNKNOWN));
            latest = Math.max(latest, Math.max(entry, exit));
        }
        if (!isStartKnown && latestTime >= 0 && latest > latestTime) {
            start = Math.min(start, System.nanoTime() - latest); // the time was set just before
        }
        latestTime = latest;
        return causes.named(read, cause.text(words, causeAt), lastCause.text(words, lastCauseAt), safepoints());
    }

    /** Returns the number of a reading, of 32 bits; -1 if it is not known. */
    private long safepoints() {
        return safepoints == 0 ? -1 : words[causeAt - 1] >>> ((safepoints & 7) << 3) & 0xffff_ffffL;
    }

    @Override
    public long clockStart() {
        return start;
    }

    @Override
    public int executor() throws MemoryFault {
        return executor.tid();
    }
}
