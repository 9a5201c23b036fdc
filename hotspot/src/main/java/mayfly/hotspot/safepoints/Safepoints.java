package mayfly.hotspot.safepoints;

import java.util.Optional;
import java.util.Set;
import mayfly.hotspot.tables.VmLayout;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.runtime.ModuleSymbols;
import mayfly.runtime.suspension.Suspension;
import mayfly.runtime.suspension.Suspensions;

/** The safepoints of a VM, from the variables in which it keeps the times of the latest one. */
public final class Safepoints implements Suspensions {
    private static final int ATTEMPTS = 4;

    private final SafepointRecord record;
    private final SafepointThreads threads;

    private Safepoints(SafepointRecord record, SafepointThreads threads) {
        this.record = record;
        this.threads = threads;
    }

    /**
     * Returns the safepoints of a VM. Empty if its library does not name the variables, as if it was stripped, and for
     * JDK 11 also if the VM runs with {@code -XX:-UsePerfData}.
     */
    public static Optional<Suspensions> of(Memory memory, ModuleSymbols symbols, VmLayout layout) {
        return SafepointTracing.of(memory, symbols)
                .or(() -> RuntimeService.of(memory, symbols))
                .map(record -> new Safepoints(record, new SafepointThreads(memory, layout, symbols)));
    }

    @Override
    public Optional<Suspension> latest() throws MemoryFault {
        Optional<Suspension> latest = Optional.empty();
        for (int i = 0; i < ATTEMPTS && latest.isEmpty(); i++) {
            latest = record.read();
        }
        return latest;
    }

    @Override
    public Optional<Set<Integer>> running() throws MemoryFault {
        return threads.running();
    }

    @Override
    public int suspender() throws MemoryFault {
        return threads.vmThread();
    }
}
