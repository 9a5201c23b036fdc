package mayfly.hotspot.virtual;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import mayfly.hotspot.heap.HeapObjects;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.process.MemoryFault;
import mayfly.runtime.thread.ManagedThreadState;
import org.jspecify.annotations.Nullable;

/**
 * The offsets of the fields of java.lang.VirtualThread and of its superclass, and the meaning of its states.
 *
 * @param objectWaiter the field with the ObjectWaiter of a thread that waits at a monitor, which the VM adds since JDK
 *     24; -1 if there is none
 * @param states the activity for each value of the field {@code state}
 */
record VirtualThreadFields(
        int name,
        int id,
        int state,
        int carrier,
        int continuation,
        int parkBlocker,
        int objectWaiter,
        Map<Integer, ManagedThreadState> states) {
    static final String CLASS = "java.lang.VirtualThread";

    /** The value of a state while a debugger has suspended the thread: a bit in addition to the state. */
    private static final int SUSPENDED = 1 << 8;

    /**
     * The activity for each constant of the class that names a state. Numbers differ between releases, so that the
     * program's own are read. A thread that has left its carrier and can run again is {@code IN_MANAGED_CODE}.
     */
    private static final Map<ManagedThreadState, List<String>> CONSTANTS = Map.of(
            ManagedThreadState.NEW, List.of("NEW"),
            ManagedThreadState.IN_MANAGED_CODE,
                    List.of(
                            "STARTED",
                            "RUNNABLE",
                            "RUNNING",
                            "PARKING",
                            "TIMED_PARKING",
                            "UNPARKED",
                            "YIELDING",
                            "YIELDED",
                            "BLOCKING",
                            "UNBLOCKED",
                            "WAITING",
                            "TIMED_WAITING"),
            ManagedThreadState.PARKED, List.of("PARKED", "PINNED"),
            ManagedThreadState.TIMED_PARKED, List.of("TIMED_PARKED", "TIMED_PINNED"),
            ManagedThreadState.BLOCKED, List.of("BLOCKED"),
            ManagedThreadState.WAITING, List.of("WAIT"),
            ManagedThreadState.TIMED_WAITING, List.of("TIMED_WAIT"),
            ManagedThreadState.TERMINATED, List.of("TERMINATED"));

    /**
     * Reads the fields of an object's class; null if it is not a VirtualThread.
     *
     * @param klass the object's Klass
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     */
    static @Nullable VirtualThreadFields of(HeapObjects objects, long object, long klass)
            throws MemoryFault, BadMetadata {
        Integer name = objects.offset(object, "name");
        Integer id = objects.offset(object, "tid");
        Integer state = objects.offset(object, "state");
        Integer carrier = objects.offset(object, "carrierThread");
        Integer continuation = objects.offset(object, "cont");
        Integer parkBlocker = objects.offset(object, "parkBlocker");
        if (name == null
                || id == null
                || state == null
                || carrier == null
                || continuation == null
                || parkBlocker == null) {
            if (objects.className(object).equals(CLASS)) {
                throw new BadMetadata("a virtual thread without its fields");
            }
            return null;
        }
        Map<Integer, ManagedThreadState> states = new HashMap<>();
        for (Map.Entry<ManagedThreadState, List<String>> each : CONSTANTS.entrySet()) {
            for (String constant : each.getValue()) {
                Integer value = objects.intInStatic(klass, constant);
                if (value != null) {
                    states.put(value, each.getKey());
                }
            }
        }
        List<Integer> injected = objects.injected(object);
        int objectWaiter = injected.size() == 1 ? injected.getFirst() : -1;
        return new VirtualThreadFields(name, id, state, carrier, continuation, parkBlocker, objectWaiter, states);
    }

    /** Returns the activity for a value of the field {@code state}. */
    ManagedThreadState stateOf(int value) {
        return states.getOrDefault(value & ~SUSPENDED, ManagedThreadState.UNKNOWN);
    }
}
