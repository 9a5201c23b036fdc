package mayfly.record.event;

import java.util.List;
import mayfly.profile.Measure;
import mayfly.profile.SampledEvent;
import mayfly.profile.Unit;

/**
 * An event that a recording can sample: a row of the table {@link #ALL}.
 *
 * @param id the word on the command line and in captures. It never changes
 * @param quantity a noun for what is sampled, such as {@code CPU time}
 * @param scope the threads or operations that are sampled, to be read after the quantity
 * @param unit the unit of the first measure
 * @param measures the values of each sample, in order
 * @param isRated true if the event is sampled at the rate of the recording, false if each occurrence counts
 * @param sum the meaning of the sum of its samples in the ledger
 * @param kinds its sources, the best one first
 */
public record RecordingEvent(
        String id,
        String quantity,
        String scope,
        Unit unit,
        List<Measure> measures,
        boolean isRated,
        Sum sum,
        List<SourceKind> kinds) {
    /** CPU time: running threads only. */
    public static final RecordingEvent CPU = new RecordingEvent(
            "cpu",
            "CPU time",
            "of running threads",
            Unit.NANOSECONDS,
            List.of(Measure.VALUE),
            true,
            Sum.CPU_TIME,
            List.of(PerfSource.SYSTEM_WIDE, PerfSource.PER_THREAD, PtraceSource.BUSY_THREADS));
    /** Wall-clock time: every thread, running or blocked. The kernel's clocks count for running threads only. */
    public static final RecordingEvent WALL = new RecordingEvent(
            "wall",
            "wall-clock time",
            "of every thread, including blocked ones, by ptrace",
            Unit.NANOSECONDS,
            List.of(Measure.VALUE),
            true,
            Sum.TIME,
            List.of(PtraceSource.ALL_THREADS));
    /** Waits: each time for which no CPU runs a thread. */
    public static final RecordingEvent OFF_CPU = new RecordingEvent(
            "off-cpu",
            "waiting time",
            "of threads that no CPU runs",
            Unit.NANOSECONDS,
            List.of(Measure.VALUE, Measure.STATE),
            false,
            Sum.NONE,
            List.of(OffCpuSource.PER_THREAD, PolledOffCpuSource.POLLED));

    /** Waits for locks: monitors, and the locks of java.util.concurrent. */
    public static final RecordingEvent LOCK = new RecordingEvent(
            "lock",
            "waiting time",
            "for locks: monitors, and those of java.util.concurrent",
            Unit.NANOSECONDS,
            List.of(Measure.VALUE, Measure.STATE),
            false,
            Sum.NONE,
            List.of(OffCpuSource.LOCKS, PolledOffCpuSource.LOCKS));

    /** Safepoints: the times for which the JVM stops all its threads. */
    public static final RecordingEvent SAFEPOINT = new RecordingEvent(
            "safepoint",
            "pauses",
            "of the whole JVM: until its threads have stopped, and while they are stopped",
            Unit.NANOSECONDS,
            List.of(Measure.VALUE, Measure.STATE),
            false,
            Sum.NONE,
            List.of(SafepointSource.SYSTEM_WIDE, SafepointSource.PER_THREAD, SafepointSource.TIMES));

    /** Garbage collection: each pause of each garbage collector of the JVM. */
    public static final RecordingEvent GC = new RecordingEvent(
            "gc",
            "garbage collection",
            "pauses of the JVM, each with its garbage collector and cause",
            Unit.NANOSECONDS,
            List.of(Measure.VALUE, Measure.STATE),
            false,
            Sum.NONE,
            GcSource.COUNTERS);

    /** Allocation: the bytes that the threads of the JVM allocate in its heap. */
    public static final RecordingEvent ALLOC = new RecordingEvent(
            "alloc",
            "allocation",
            "in bytes, by the JVM's threads, with the code that they run",
            Unit.BYTES,
            List.of(Measure.VALUE),
            true,
            Sum.NONE,
            List.of(AllocationSource.SYSTEM_WIDE, AllocationSource.PER_THREAD, AllocationSource.PTRACE));

    /** Allocation by the classes of the objects: the bytes that threads obtain, with the code that allocates. */
    public static final RecordingEvent ALLOC_CLASS = new RecordingEvent(
            "alloc-class",
            "allocation",
            "in bytes, by class and by the code that allocates; as root, by breakpoints in the JVM",
            Unit.BYTES,
            List.of(Measure.VALUE),
            false,
            Sum.NONE,
            ProbedAllocations.KINDS);

    /** All events, in the order of the help. */
    public static final List<RecordingEvent> ALL = List.of(CPU, WALL, OFF_CPU, LOCK, SAFEPOINT, GC, ALLOC, ALLOC_CLASS);

    /** The events whose samples are waits, for which a recording has a shortest wait. */
    public static final List<RecordingEvent> WAITS = List.of(OFF_CPU, LOCK);

    /** The meaning of the sum of an event's first measure in the ledger. */
    public enum Sum {
        /** CPU time of the target, which the ledger compares with that in /proc. */
        CPU_TIME,
        /** Time of threads, which the ledger shows alone. */
        TIME,
        /** Another quantity, which the ledger does not show. */
        NONE
    }

    /** @throws IllegalArgumentException if it has no source, or two for one collector */
    public RecordingEvent {
        measures = List.copyOf(measures);
        kinds = List.copyOf(kinds);
        if (kinds.isEmpty()
                || kinds.stream().map(SourceKind::collector).distinct().count() != kinds.size()) {
            throw new IllegalArgumentException("the event " + id + " needs one source for each of its collectors");
        }
    }

    /** Returns the sources to try for a collector, in order; none if the event has none for it. */
    public List<SourceKind> kinds(Collector collector) {
        return collector == Collector.AUTO
                ? kinds
                : kinds.stream().filter(kind -> kind.collector() == collector).toList();
    }

    /** Returns the rate of the event in a recording at the given rate; 0 if the event has none. */
    public int rate(int rateHz) {
        return isRated ? rateHz : 0;
    }

    /** Returns the event as a capture describes it. */
    public SampledEvent sampled(int rateHz) {
        return new SampledEvent(id, unit, rate(rateHz), 0, measures);
    }

    /** Returns a value's share in the ledger's sum of time, ns. */
    public long nanos(long value) {
        return sum == Sum.NONE ? 0 : value;
    }

    @Override
    public String toString() {
        return id;
    }
}
