package mayfly.host.code;

import java.util.List;
import mayfly.api.CompiledMethod;
import mayfly.api.event.InlinedMethod;
import org.jspecify.annotations.Nullable;

/**
 * The code of compiled methods by its addresses, without the methods that are inlined in it. The reports of JVMTI and
 * an enumeration arrive in any order, so each has the number of its occurrence: the release of code does not remove the
 * code that has taken its place since. The table is empty, and ignores reports, until it begins.
 *
 * <p>The table uses no class of the JDK, so that no class is used for the first time while the lock is held:
 * {@link mayfly.host.id.Identities} has the reason.
 */
public final class CodeTable {
    private static final List<InlinedMethod> NONE = List.of();

    private enum State {
        UNUSED,
        /** It has the reports; an enumeration is being added. */
        BEGUN,
        COMPLETE
    }

    private final AddressTable<CompiledMethod> entries = new AddressTable<>();
    /** Until the table is complete: the number of the last release of code at each address. */
    private final AddressTable<CompiledMethod> released = new AddressTable<>();

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
    public void add(CompiledMethod code, long sequence) {
        CompiledMethod kept = new CompiledMethod(
                code.className(), code.name(), code.descriptor(), code.address(), code.size(), NONE, false);
        put(kept, sequence);
    }

    private synchronized void put(CompiledMethod code, long sequence) {
        int gone = released.find(code.address());
        if (state == State.UNUSED || gone >= 0 && released.sequence(gone) > sequence) {
            return;
        }
        int from = entries.firstFrom(code.address());
        if (from > 0 && end(entries.value(from - 1)) > code.address()) {
            from--; // the report of its release was lost
        }
        int to = entries.firstFrom(code.address() + Math.max(code.size(), 1));
        entries.replace(from, to, code.address(), sequence, code);
    }

    /**
     * Removes the code that begins at an address and was added before.
     *
     * @param sequence the number of the report
     */
    public synchronized void remove(long address, long sequence) {
        int at = entries.find(address);
        if (at >= 0 && entries.sequence(at) < sequence) {
            entries.remove(at, at + 1);
        }
        if (state == State.BEGUN) {
            int from = released.firstFrom(address);
            released.replace(from, released.firstFrom(address + 1), address, sequence, null);
        }
    }

    /** Returns the code that contains an address; null if there is none. */
    public synchronized @Nullable CompiledMethod at(long address) {
        int after = entries.firstFrom(address + 1);
        CompiledMethod found = after == 0 ? null : entries.value(after - 1);
        return end(found) <= address ? null : found;
    }

    private static long end(@Nullable CompiledMethod code) {
        return code == null ? 0 : code.address() + code.size();
    }
}
