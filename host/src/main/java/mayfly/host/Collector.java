package mayfly.host;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import mayfly.api.Event;

/**
 * The JVM's garbage collector, and the part of its work that it does not report. The names are those of the flags,
 * UseG1GC and so on.
 */
enum Collector {
    SERIAL("UseSerialGC", ""),
    PARALLEL("UseParallelGC", ""),
    G1("UseG1GC", "G1 marks beside the program: of that only its pauses are told, each as a collection"),
    Z("UseZGC", "ZGC works beside the program: its pauses are told, each as a collection, and not how long a cycle takes"),
    SHENANDOAH("UseShenandoahGC",
            "Shenandoah works beside the program: its pauses are told, each as a collection, and not how long a cycle takes"),
    OTHER("", "what this JVM's garbage collector tells is not known: it is none that Mayfly has been tried with");

    private final String flag;
    private final String ofCollections;

    Collector(String flag, String ofCollections) {
        this.flag = flag;
        this.ofCollections = ofCollections;
    }

    /** Returns the collector of this JVM. */
    static Collector current() {
        for (Collector each : values()) {
            if (!each.flag.isEmpty() && Vm.flag(each.flag)) {
                return each;
            }
        }
        return OTHER;
    }

    List<String> notReported(Set<Event> events) {
        List<String> sentences = new ArrayList<>();
        if (events.contains(Event.GARBAGE_COLLECTIONS) && !ofCollections.isEmpty()) {
            sentences.add(ofCollections);
        }
        return sentences;
    }
}
