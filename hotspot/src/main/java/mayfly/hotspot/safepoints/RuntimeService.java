package mayfly.hotspot.safepoints;

import java.util.List;
import java.util.Optional;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.runtime.ModuleSymbols;
import mayfly.runtime.suspension.Suspension;
import mayfly.runtime.suspension.Suspension.Phase;

/**
 * The record in JDK 11: the static members of RuntimeService, see runtimeService.cpp and safepoint.cpp. The VM keeps
 * the times at which the latest safepoint was requested and at which the last one ended, but only the sum of the times
 * that all safepoints needed to stop the threads: the performance counter {@code sun.rt.safepointSyncTime}. A reader
 * that sees each addition knows the times of each safepoint. The operation is unknown.
 *
 * <p>The count becomes odd when all threads have stopped, and even again when they continue.
 */
final class RuntimeService implements SafepointRecord {
    private static final String COUNT = "_ZN20SafepointSynchronize18_safepoint_counterE";
    private static final String BEGUN = "_ZN14RuntimeService16_safepoint_timerE";
    private static final String ENDED = "_ZN14RuntimeService10_app_timerE";
    private static final String REACHING = "_ZN14RuntimeService16_sync_time_ticksE";
    /** The value of CLOCK_MONOTONIC at which the VM's ticks, which are nanoseconds, are 0. */
    private static final String START = "_ZL18initial_time_count";

    /** PerfData::_pdep and PerfData::_valuep, which JDK 11 does not describe. */
    private static final int ENTRY = 32;

    private static final int VALUE = 40;

    private final Memory memory;
    private final long countAt;
    private final long[] addresses;
    /** The last reading; its number is 0 before the first. */
    private Suspension last = Suspension.NONE;
    /** The sum at the last reading. */
    private long lastSum;
    /** The sum before the latest safepoint; -1 if unknown. */
    private long sumBefore = -1;

    private RuntimeService(Memory memory, ModuleSymbols symbols, long sumAt) {
        this.memory = memory;
        this.countAt = symbols.address(COUNT);
        long count = countAt & -8;
        this.addresses =
                new long[] {count, symbols.address(ENDED), sumAt, symbols.address(BEGUN), symbols.address(START), count
                };
    }

    static Optional<SafepointRecord> of(Memory memory, ModuleSymbols symbols) {
        if (List.of(COUNT, BEGUN, ENDED, REACHING, START).stream().anyMatch(name -> symbols.address(name) == 0)) {
            return Optional.empty();
        }
        try {
            long sum = sumAt(memory, memory.readLong(symbols.address(REACHING)));
            return sum == 0 ? Optional.empty() : Optional.of(new RuntimeService(memory, symbols, sum));
        } catch (MemoryFault e) {
            return Optional.empty(); // the process is ending
        }
    }

    /** Returns the address of a counter's value, 0 if the VM keeps no counters or the address is implausible. */
    private static long sumAt(Memory memory, long counter) throws MemoryFault {
        if (counter == 0) {
            return 0;
        }
        long entry = memory.readLong(counter + ENTRY);
        long value = memory.readLong(counter + VALUE);
        long length = entry == 0 ? 0 : memory.readInt(entry);
        return (value & 7) == 0 && value > entry && value <= entry + length - 8 ? value : 0;
    }

    @Override
    public Optional<Suspension> read() throws MemoryFault {
        long[] words = new long[addresses.length];
        memory.gather(addresses, words.length, words);
        long count = count(words[0]);
        if (count != count(words[5])) {
            return Optional.empty();
        }
        if (words[3] == 0) {
            return Optional.of(Suspension.NONE);
        }
        long start = words[4];
        last = suspension(count, start + words[3], start + words[1], words[2]);
        lastSum = words[2];
        return Optional.of(last);
    }

    private long count(long word) {
        return word >>> ((countAt & 7) << 3) & 0xffff_ffffL;
    }

    private Suspension suspension(long count, long begun, long ended, long sum) {
        boolean hasEnded = ended >= begun;
        long number = number(count, begun, hasEnded);
        if (begun != last.begun()) {
            boolean isNext = number == last.number() + 1 && (last.reached() != 0 || last.phase() == Phase.ENDED);
            sumBefore = isNext ? lastSum : -1;
        }
        long reached = sumBefore >= 0 && sum > sumBefore ? begun + sum - sumBefore : 0;
        if (hasEnded) {
            return new Suspension(number, Phase.ENDED, "", begun, reached, ended);
        }
        boolean hasStopped = reached != 0 || (count & 1) != 0;
        return new Suspension(number, hasStopped ? Phase.REACHED : Phase.REACHING, "", begun, reached, 0);
    }

    /**
     * Returns the number of the safepoint that was requested at a time. The count is even before the threads have
     * stopped, and again shortly before the end, where the number would be too large by one.
     */
    private long number(long count, long begun, boolean hasEnded) {
        if (begun == last.begun()) {
            return last.number();
        }
        return Math.max(last.number() + 1, hasEnded ? count / 2 : count / 2 + 1);
    }
}
