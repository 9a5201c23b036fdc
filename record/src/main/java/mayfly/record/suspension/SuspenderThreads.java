package mayfly.record.suspension;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntSupplier;
import mayfly.discovery.InspectedProcess;
import mayfly.process.TargetThread;
import mayfly.profile.RuntimeId;
import org.jspecify.annotations.Nullable;

/** The threads that suspend all others of their runtimes, such as HotSpot's VM thread. */
public final class SuspenderThreads {
    private final InspectedProcess target;
    private final Map<RuntimeId, Integer> known = new HashMap<>();

    public SuspenderThreads(InspectedProcess target) {
        this.target = target;
    }

    /**
     * Returns the thread that suspends the others of a runtime; the first thread of the process if it is unknown.
     *
     * @param inner returns its id in the target's own pid namespace; 0 if unknown
     */
    public int tid(RuntimeId runtime, IntSupplier inner) {
        Integer before = known.get(runtime);
        if (before != null) {
            return before;
        }
        int id = inner.getAsInt();
        TargetThread thread = id == 0 ? null : thread(id);
        if (thread == null) {
            return target.process().pid();
        }
        known.put(runtime, thread.tid());
        return thread.tid();
    }

    private @Nullable TargetThread thread(int inner) {
        try {
            return target.process().threadByInnermostTid(inner);
        } catch (IOException e) {
            return null; // the process is ending
        }
    }

    /** Forgets the threads of a program that the target no longer is. */
    public void clear() {
        known.clear();
    }
}
