package mayfly.record;

import java.util.LinkedHashMap;
import java.util.Map;
import mayfly.arch.Architecture;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.process.Registers;
import org.jspecify.annotations.Nullable;

/**
 * The locations of the outermost frames of deep stacks, by thread. A walk that ends early can continue there, because
 * most threads still execute their first calls. A frame is considered unchanged if its return address is still in the
 * same slot.
 */
final class KnownRoots {
    /** Upper bound on the frames kept per stack. Further frames are more likely to change. */
    private static final int FRAMES = 32;

    private static final int MAX_THREADS = 256;
    /**
     * Upper bound on the callee's parameters, which lie between an interpreted method's stack pointer and its callee's
     * return address.
     */
    private static final int MAX_PARAMETERS = 256;

    /** A frame that has made a call. The return address in {@code registers} was found at {@code slot}. */
    private record Place(Registers registers, long slot) {}

    private final Map<Integer, Place[]> threads = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, Place[]> eldest) {
            return size() > MAX_THREADS;
        }
    };
    private final Registers[] last = new Registers[FRAMES];
    private int seen;

    KnownRoots(Architecture architecture) {
        for (int i = 0; i < FRAMES; i++) {
            last[i] = new Registers(architecture);
        }
    }

    void begin() {
        seen = 0;
    }

    /** Records that the walk is at this frame. Several methods may be inlined into one frame. */
    void at(Registers frame) {
        if (!frame.knowsSp()) {
            return; // the registers were cleared, and the walker has not entered a frame since
        }
        if (seen == 0 || last[(seen - 1) % FRAMES].sp() != frame.sp()) {
            last[seen++ % FRAMES].copyFrom(frame);
        }
    }

    boolean knows(int tid) {
        return threads.containsKey(tid);
    }

    /** Records that the walk has reached the thread's first frame. */
    void reached(int tid, Memory stack) {
        int count = Math.min(seen, FRAMES);
        Place[] places = new Place[count];
        for (int i = 0; i < count; i++) {
            Registers frame = last[(seen - 1 - i) % FRAMES].copy();
            places[i] = new Place(frame, slot(frame, stack));
        }
        threads.put(tid, places);
    }

    private static long slot(Registers frame, Memory stack) {
        for (int i = 1; i <= MAX_PARAMETERS; i++) {
            if (holds(stack, frame.sp() - 8L * i, frame.pc())) {
                return frame.sp() - 8L * i;
            }
        }
        return 0;
    }

    private static boolean holds(Memory stack, long address, long value) {
        try {
            return stack.readLong(address) == value;
        } catch (MemoryFault e) {
            return false;
        }
    }

    /**
     * Returns the innermost of a thread's known frames that is unchanged together with all frames outside it; null if
     * there is none.
     *
     * @param above the stack pointer where the walk ended
     */
    @Nullable
    Registers find(int tid, long above, Memory stack) {
        Registers found = null;
        for (Place place : threads.getOrDefault(tid, new Place[0])) {
            if (place.slot == 0) {
                continue;
            }
            if (Long.compareUnsigned(place.slot, above) <= 0 || !holds(stack, place.slot, place.registers.pc())) {
                break;
            }
            found = place.registers;
        }
        return found;
    }
}
