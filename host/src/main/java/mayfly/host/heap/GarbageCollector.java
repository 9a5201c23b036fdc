package mayfly.host.heap;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import mayfly.api.Event;

/**
 * The JVM's garbage collector, and the part of its work that the JVM does not report. The names are those of the flags,
 * UseG1GC and so on.
 */
public enum GarbageCollector {
    SERIAL("UseSerialGC", ""),
    PARALLEL("UseParallelGC", ""),
    G1("UseG1GC", "G1 marks concurrently: only the pauses of the marking are reported, each as a collection"),
    Z(
            "UseZGC",
            "ZGC works concurrently: its pauses are reported, each as a collection, but not the duration of"
                    + " a cycle"),
    SHENANDOAH(
            "UseShenandoahGC",
            "Shenandoah works concurrently: its pauses are reported, each as a collection, but not the duration"
                    + " of a cycle"),
    OTHER("", "it is not known what this JVM's garbage collector reports: Mayfly has not been tested with it");

    private final String flag;
    private final String ofCollections;

    GarbageCollector(String flag, String ofCollections) {
        this.flag = flag;
        this.ofCollections = ofCollections;
    }

    /** Returns the flag of the JVM that chooses this garbage collector; empty for {@link #OTHER}. */
    public String flag() {
        return flag;
    }

    /** Returns the limitations of events, one sentence each. */
    public List<String> notReported(Set<Event> events) {
        List<String> sentences = new ArrayList<>();
        if (events.contains(Event.GARBAGE_COLLECTIONS) && !ofCollections.isEmpty()) {
            sentences.add(ofCollections);
        }
        return sentences;
    }
}
