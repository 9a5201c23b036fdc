package mayfly.host.code;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import mayfly.api.CompiledMethod;
import org.jspecify.annotations.Nullable;

/**
 * The code of compiled methods by its addresses. The reports of JVMTI and an enumeration arrive in any order, so each
 * has the number of its occurrence: the release of code does not remove the code that has taken its place since. The
 * table is empty, and ignores reports, until it begins.
 */
public final class CodeTable {
    private static final class Entry {
        private final CompiledMethod code;
        private final long sequence;

        Entry(CompiledMethod code, long sequence) {
            this.code = code;
            this.sequence = sequence;
        }
    }

    private enum State {
        UNUSED,
        /** It has the reports; an enumeration is being added. */
        BEGUN,
        COMPLETE
    }

    private final TreeMap<Long, Entry> entries = new TreeMap<>();
    /** Until the table is complete: the number of the last release of code at each address. */
    private final Map<Long, Long> released = new HashMap<>();

    private State state = State.UNUSED;

    /** Begins to record reports. Returns true if an enumeration of the existing code has to be added. */
    public synchronized boolean begin() {
        state = state == State.UNUSED ? State.BEGUN : state;
        return state == State.BEGUN;
    }

    /** Called when all code of an enumeration has been added. */
    public synchronized void completed() {
        state = state == State.BEGUN ? State.COMPLETE : state;
        released.clear();
    }

    /** Forgets all code: no further reports arrive. */
    public synchronized void forget() {
        entries.clear();
        released.clear();
        state = State.UNUSED;
    }

    /**
     * Adds code.
     *
     * @param sequence the number of the report
     */
    public synchronized void add(CompiledMethod code, long sequence) {
        Long gone = released.get(code.address());
        if (state == State.UNUSED || gone != null && gone > sequence) {
            return;
        }
        Map.Entry<Long, Entry> before = entries.lowerEntry(code.address());
        if (before != null && end(before.getValue().code) > code.address()) {
            entries.remove(before.getKey()); // the report of its release was lost
        }
        entries.subMap(code.address(), code.address() + Math.max(code.size(), 1))
                .clear();
        entries.put(code.address(), new Entry(code, sequence));
    }

    /**
     * Removes the code that begins at an address and was added before.
     *
     * @param sequence the number of the report
     */
    public synchronized void remove(long address, long sequence) {
        Entry entry = entries.get(address);
        if (entry != null && entry.sequence < sequence) {
            entries.remove(address);
        }
        if (state == State.BEGUN) {
            released.put(address, sequence);
        }
    }

    /** Returns the code that contains an address; null if there is none. */
    public synchronized @Nullable CompiledMethod at(long address) {
        Map.Entry<Long, Entry> found = entries.floorEntry(address);
        return found == null || end(found.getValue().code) <= address ? null : found.getValue().code;
    }

    private static long end(CompiledMethod code) {
        return code.address() + code.size();
    }
}
