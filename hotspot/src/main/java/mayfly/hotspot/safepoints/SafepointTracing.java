package mayfly.hotspot.safepoints;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import mayfly.hotspot.tables.VmStructs;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.runtime.ModuleSymbols;
import mayfly.runtime.suspension.Suspension;
import mayfly.runtime.suspension.Suspension.Phase;

/**
 * The record in JDK 17 and later: the static members of SafepointTracing, see safepoint.cpp.
 *
 * <p>The VM sets the operation and the time of the request, and the later times to 0. It makes the count odd when it
 * asks the threads to stop, and sets {@code sync} when they have. It makes the count even, lets the threads continue,
 * and sets {@code end}. A time that is earlier than that of the request is one of the safepoint before.
 */
final class SafepointTracing implements SafepointRecord {
    private static final String COUNT = "_ZN20SafepointSynchronize18_safepoint_counterE";
    private static final String BEGUN = "_ZN16SafepointTracing29_last_safepoint_begin_time_nsE";
    private static final String REACHED = "_ZN16SafepointTracing28_last_safepoint_sync_time_nsE";
    private static final String ENDED = "_ZN16SafepointTracing27_last_safepoint_end_time_nsE";
    private static final String TYPE = "_ZN16SafepointTracing13_current_typeE";
    private static final String NAMES = "_ZN12VM_Operation6_namesE";
    /** Upper bound on the number of a kind of operation. There are some 80. */
    private static final int MAX_TYPE = 255;

    private static final int MAX_NAME = 64;

    private final Memory memory;
    private final long[] addresses;
    private final long typeAt;
    private final long names;
    private final Map<Integer, String> known = new HashMap<>();

    private SafepointTracing(Memory memory, ModuleSymbols symbols) {
        this.memory = memory;
        this.typeAt = symbols.address(TYPE);
        this.names = symbols.address(NAMES);
        long count = symbols.address(COUNT);
        this.addresses = new long[] {
            count, symbols.address(ENDED), symbols.address(REACHED), typeAt & -8, symbols.address(BEGUN), count
        };
    }

    static Optional<SafepointRecord> of(Memory memory, ModuleSymbols symbols) {
        return List.of(COUNT, BEGUN, REACHED, ENDED, TYPE, NAMES).stream().allMatch(name -> symbols.address(name) != 0)
                ? Optional.of(new SafepointTracing(memory, symbols))
                : Optional.empty();
    }

    @Override
    public Optional<Suspension> read() throws MemoryFault {
        long[] words = new long[addresses.length];
        memory.gather(addresses, words.length, words);
        long count = words[0];
        long ended = words[1];
        long reached = words[2];
        long begun = words[4];
        if (count != words[5]) {
            return Optional.empty();
        }
        if (begun == 0) {
            return Optional.of(Suspension.NONE);
        }
        Phase phase = phase((count & 1) != 0, begun, reached, ended);
        return Optional.of(new Suspension(
                phase == Phase.REQUESTED ? count / 2 + 1 : (count + 1) / 2,
                phase,
                name((int) (words[3] >>> ((typeAt & 7) << 3))),
                begun,
                reached >= begun ? reached : 0,
                phase == Phase.ENDED ? ended : 0));
    }

    private static Phase phase(boolean isOdd, long begun, long reached, long ended) {
        if (reached >= begun) {
            return ended >= begun && !isOdd ? Phase.ENDED : Phase.REACHED;
        }
        return isOdd ? Phase.REACHING : Phase.REQUESTED;
    }

    private String name(int type) {
        if (type < 0 || type > MAX_TYPE) {
            return "";
        }
        return known.computeIfAbsent(type, this::readName);
    }

    private String readName(int type) {
        try {
            long text = memory.readLong(names + 8L * type);
            return text == 0 ? "" : VmStructs.string(memory, text, MAX_NAME);
        } catch (MemoryFault e) {
            return "";
        }
    }
}
