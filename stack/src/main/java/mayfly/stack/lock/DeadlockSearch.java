package mayfly.stack.lock;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;
import mayfly.process.MemoryFault;
import mayfly.runtime.ManagedRuntime;
import mayfly.runtime.thread.LockOwner;
import mayfly.runtime.thread.LockWait;
import mayfly.runtime.thread.ManagedThread;
import org.jspecify.annotations.Nullable;

/**
 * Finds the threads of a runtime that wait for one another. The threads run on while they are read, so that locks read
 * one after the other can form a cycle that never existed. A cycle is reported only if a second reading has the same
 * one, and none of its threads has used CPU time from before that reading until after it: all of it was then true at
 * one moment.
 */
final class DeadlockSearch {
    /**
     * Upper bound on the readings of one cycle. Up to JDK 23, one of the threads that wait for a monitor looks at it
     * again after a time that grows to a second.
     */
    private static final int READINGS = 5;

    private final ManagedRuntime runtime;
    private final ToLongFunction<ManagedThread> cpuNanos;

    /** @param cpuNanos returns the CPU time that a thread has used so far, -1 if it is not known */
    DeadlockSearch(ManagedRuntime runtime, ToLongFunction<ManagedThread> cpuNanos) {
        this.runtime = runtime;
        this.cpuNanos = cpuNanos;
    }

    /** Returns the cycles: their threads in the order in which each waits for the next one, with their locks. */
    List<Map<ManagedThread, LockWait>> find() {
        List<Map<ManagedThread, LockWait>> found = new ArrayList<>();
        try {
            for (List<ManagedThread> cycle : cycles(edges(runtime.threads(), new HashMap<>()))) {
                Map<ManagedThread, LockWait> confirmed = confirmed(cycle);
                if (confirmed != null) {
                    found.add(confirmed);
                }
            }
        } catch (MemoryFault e) {
            found.clear(); // the process is ending
        }
        return found;
    }

    /**
     * Returns for each thread that waits for a lock the thread that owns it.
     *
     * @param waits receives the locks
     */
    private Map<ManagedThread, ManagedThread> edges(List<ManagedThread> threads, Map<ManagedThread, LockWait> waits) {
        for (ManagedThread thread : threads) {
            LockWait wait = runtime.lockWait(thread);
            if (wait.kind().mayHaveOwner()) {
                waits.put(thread, wait);
            }
        }
        Map<ManagedThread, ManagedThread> edges = new HashMap<>();
        if (!waits.isEmpty()) {
            runtime.lockOwners(waits).forEach((thread, owner) -> {
                if (owner instanceof LockOwner.OfThread of && !of.thread().equals(thread)) {
                    edges.put(thread, of.thread());
                }
            });
        }
        return edges;
    }

    /** Returns the cycles of a graph in which each thread has at most one edge. */
    static <T extends Object> List<List<T>> cycles(Map<T, T> edges) {
        List<List<T>> cycles = new ArrayList<>();
        Set<T> visited = new HashSet<>();
        for (T start : edges.keySet()) {
            List<T> path = new ArrayList<>();
            @Nullable T at = start;
            while (at != null && visited.add(at)) {
                path.add(at);
                at = edges.get(at);
            }
            int from = at == null ? -1 : path.indexOf(at);
            if (from >= 0) {
                cycles.add(path.subList(from, path.size()));
            }
        }
        return cycles;
    }

    private @Nullable Map<ManagedThread, LockWait> confirmed(List<ManagedThread> cycle) {
        for (int i = 0; i < READINGS; i++) {
            List<Long> before = cpuTimes(cycle);
            Map<ManagedThread, LockWait> waits = new HashMap<>();
            Map<ManagedThread, ManagedThread> edges = edges(cycle, waits);
            boolean same = true;
            for (int k = 0; k < cycle.size(); k++) {
                same &= cycle.get((k + 1) % cycle.size()).equals(edges.get(cycle.get(k)));
            }
            if (same && !before.contains(-1L) && cpuTimes(cycle).equals(before)) {
                Map<ManagedThread, LockWait> ordered = new LinkedHashMap<>();
                cycle.forEach(thread -> ordered.put(thread, waits.getOrDefault(thread, LockWait.NONE)));
                return ordered;
            }
        }
        return null;
    }

    private List<Long> cpuTimes(List<ManagedThread> threads) {
        return threads.stream().map(cpuNanos::applyAsLong).toList();
    }
}
