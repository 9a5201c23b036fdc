package mayfly.record;

import java.util.LinkedHashMap;
import java.util.Map;
import mayfly.arch.Architecture;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.process.Registers;
import org.jspecify.annotations.Nullable;

/**
 * Where the outermost frames of deep stacks are, by thread. A walk that ends early can go on there: most threads still
 * execute the calls that they made first. A frame is taken for the same if its return address stands where it stood.
 */
final class KnownRoots {
    /** So many frames of a stack are kept. More of them lead deeper into what changes. */
    private static final int FRAMES = 32;
    private static final int MOST_THREADS = 256;
    /** Between an interpreted method's stack pointer and its callee's return address are the callee's parameters. */
    private static final int MOST_PARAMETERS = 256;

    /** A frame that called out. The return address in {@code registers} was found at {@code slot}. */
    private record Place(Registers registers, long slot) {}

    private final Map<Integer, Place[]> threads = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, Place[]> eldest) {
            return size() > MOST_THREADS;
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

    /** A walk is at this frame. Several methods may be inlined into one. */
    void at(Registers frame) {
        if (!frame.knowsSp()) {
            return; // the walker has not moved on to a frame since it was asked to keep registers
        }
        if (seen == 0 || last[(seen - 1) % FRAMES].sp() != frame.sp()) {
            last[seen++ % FRAMES].copyFrom(frame);
        }
    }

    boolean knows(int tid) {
        return threads.containsKey(tid);
    }

    /** The walk has reached the thread's first frame. */
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
        for (int i = 1; i <= MOST_PARAMETERS; i++) {
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
     * The innermost of a thread's known frames that is still there with all those around it, null if none is.
     *
     * @param above the stack pointer where the walk ended
     */
    @Nullable Registers find(int tid, long above, Memory stack) {
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
