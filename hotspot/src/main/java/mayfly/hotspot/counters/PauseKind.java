package mayfly.hotspot.counters;

import java.util.Map;
import java.util.Set;
import mayfly.runtime.collection.Collection.Kind;

/**
 * The meaning of the pauses that a collector's counters count: a row of the table {@link #KNOWN}.
 *
 * @param causes the time for which the VM names their cause
 */
record PauseKind(Kind kind, Causes causes) {

    /** The time for which the VM names the cause of a pause. */
    enum Causes {
        /** While the operation executes to which the pause belongs. */
        OPERATION,
        /** During a whole cycle, in which several pauses occur. */
        CYCLE,
        /** Never: the pause is a part of a cycle without a cause of its own. */
        NONE
    }

    private static final PauseKind YOUNG = new PauseKind(Kind.YOUNG, Causes.OPERATION);
    private static final PauseKind FULL = new PauseKind(Kind.FULL, Causes.OPERATION);
    private static final PauseKind OTHER = new PauseKind(Kind.OTHER, Causes.OPERATION);
    private static final PauseKind PART_OF_CYCLE = new PauseKind(Kind.CONCURRENT, Causes.NONE);

    /** The collectors of JDK 11 to 26, by their names in the VM. */
    private static final Map<String, PauseKind> KNOWN = Map.ofEntries(
            Map.entry("Serial young collection pauses", YOUNG),
            Map.entry("Serial full collection pauses", FULL),
            Map.entry("Parallel young collection pauses", YOUNG),
            Map.entry("Parallel full collection pauses", FULL),
            Map.entry("G1 young collection pauses", YOUNG),
            Map.entry("G1 full collection pauses", FULL),
            Map.entry("G1 concurrent cycle pauses", PART_OF_CYCLE),
            // one generation, up to JDK 23
            Map.entry("Z concurrent cycle pauses", new PauseKind(Kind.CONCURRENT, Causes.CYCLE)),
            // two generations, since JDK 21
            Map.entry("ZGC minor collection pauses", new PauseKind(Kind.MINOR, Causes.CYCLE)),
            Map.entry("ZGC major collection pauses", new PauseKind(Kind.MAJOR, Causes.CYCLE)),
            // Serial, Parallel, G1 and CMS up to JDK 13
            Map.entry("Copy", YOUNG),
            Map.entry("PCopy", YOUNG),
            Map.entry("MSC", FULL),
            Map.entry("PSScavenge", YOUNG),
            Map.entry("PSMarkSweep", FULL),
            Map.entry("PSParallelCompact", FULL),
            Map.entry("G1 incremental collections", YOUNG),
            Map.entry("G1 stop-the-world full collections", FULL),
            Map.entry("G1 stop-the-world phases", PART_OF_CYCLE),
            Map.entry("CMS", FULL),
            Map.entry("CMS stop-the-world phases", new PauseKind(Kind.CONCURRENT, Causes.OPERATION)));

    /** Shenandoah adds its concurrent phases, and whole cycles, to the same counters as its pauses. */
    private static final Set<String> NOT_ONLY_PAUSES = Set.of("Shenandoah full", "Shenandoah partial");

    /** Returns true if the counters of a collector count only pauses. */
    static boolean areOnlyPauses(String collector) {
        return !NOT_ONLY_PAUSES.contains(collector);
    }

    /** Returns the meaning of a collector's pauses. */
    static PauseKind of(String collector) {
        return KNOWN.getOrDefault(collector, OTHER);
    }
}
