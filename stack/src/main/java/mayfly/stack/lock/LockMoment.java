package mayfly.stack.lock;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;
import mayfly.process.MemoryFault;
import mayfly.runtime.ManagedRuntime;
import mayfly.runtime.thread.LockOwner;
import mayfly.runtime.thread.LockWait;
import mayfly.runtime.thread.ManagedThread;
import mayfly.runtime.thread.UnmountedThread;
import mayfly.runtime.thread.UnmountedThread.Awaited;

/**
 * The locks for which the threads of one runtime wait and their owners, read while all threads that can be stopped were
 * stopped. The unmounted threads are added after that, from a copy of the same moment.
 */
final class LockMoment {
    /** Upper bound on the waiting threads whose locks have their owners read during the stop. */
    private static final int MAX_OWNED = 500;

    private final Map<ManagedThread, LockWait> waits;
    private final Map<ManagedThread, LockOwner> owners;
    private final boolean isComplete;
    /** The locks for which unmounted threads wait, and the names of all unmounted threads that have one. */
    private final Map<Long, Awaited> unmounted = new HashMap<>();

    private final Map<Long, String> names = new HashMap<>();

    private LockMoment(Map<ManagedThread, LockWait> waits, Map<ManagedThread, LockOwner> owners, boolean isComplete) {
        this.waits = waits;
        this.owners = new HashMap<>(owners);
        this.isComplete = isComplete;
    }

    /**
     * Reads the locks of the threads that the kernel runs. All threads must be stopped. Locks that cannot be read, or
     * not by the deadline, are missing, and the moment is not complete.
     *
     * @param deadlineNanos the {@link System#nanoTime()} by which it must return
     */
    static LockMoment read(ManagedRuntime runtime, long deadlineNanos) {
        Map<ManagedThread, LockWait> waits = new HashMap<>();
        boolean isComplete = true;
        try {
            for (ManagedThread thread : runtime.threads()) {
                if (isOver(deadlineNanos)) {
                    isComplete = false;
                    break;
                }
                LockWait wait = runtime.lockWait(thread);
                isComplete &= wait.unread() == null;
                if (wait.kind().mayHaveOwner()) {
                    waits.put(thread, wait);
                }
            }
        } catch (MemoryFault e) {
            return new LockMoment(Map.of(), Map.of(), false); // the process is ending
        }
        if (waits.isEmpty()) {
            return new LockMoment(waits, Map.of(), isComplete);
        }
        return waits.size() > MAX_OWNED || isOver(deadlineNanos)
                ? new LockMoment(waits, Map.of(), false)
                : new LockMoment(waits, runtime.lockOwners(waits), isComplete);
    }

    private static boolean isOver(long deadlineNanos) {
        return System.nanoTime() - deadlineNanos >= 0;
    }

    /** Returns false if a lock of a thread that the kernel runs is missing, so that a deadlock may be. */
    boolean isComplete() {
        return isComplete;
    }

    /** Adds a thread that no thread of the kernel ran. */
    void add(UnmountedThread thread) {
        if (thread.awaited().lock().kind().mayHaveOwner()) {
            unmounted.put(thread.managedId(), thread.awaited());
        }
        if (!thread.name().isEmpty()) {
            names.put(thread.managedId(), thread.name());
        }
    }

    /**
     * Adds the owners of monitors that an unmounted thread has entered.
     *
     * @param enteredBy returns the thread that has entered the monitor of the object at an address
     */
    void complete(LongFunction<LockOwner> enteredBy) {
        owners.replaceAll((thread, owner) -> {
            LockWait wait = waits.getOrDefault(thread, LockWait.NONE);
            return owner.equals(LockOwner.UNKNOWN) && wait.kind() == LockWait.Kind.ENTER
                    ? enteredBy.apply(wait.object())
                    : owner;
        });
    }

    /** Returns the owner of the monitor for which a thread waits, if it is still the same monitor. */
    LockOwner ownerOf(ManagedThread thread, LockWait lock) {
        return lock.monitor() != 0 && lock.isFor(waits.getOrDefault(thread, LockWait.NONE))
                ? owners.getOrDefault(thread, LockOwner.UNKNOWN)
                : LockOwner.UNKNOWN;
    }

    /** Returns the locks for which unmounted threads wait. */
    List<Awaited> ofUnmounted() {
        return List.copyOf(unmounted.values());
    }

    /**
     * Returns the groups of threads that wait for one another; each waits for the next one. A thread of the kernel that
     * does not wait for the same lock any more is in none: it could not be stopped, for example because it is in a
     * system call that a stop would end early, and has run meanwhile.
     */
    List<List<LockOwner>> deadlocks(ManagedRuntime runtime) {
        Map<LockOwner, LockOwner> edges = new HashMap<>();
        owners.forEach((thread, owner) -> edge(new LockOwner.OfThread(thread), owner, edges));
        unmounted.forEach((id, awaited) -> edge(new LockOwner.OfUnmounted(id), awaited.owner(), edges));
        return DeadlockSearch.cycles(edges).stream()
                .filter(cycle -> cycle.stream().allMatch(thread -> waitsStill(thread, runtime)))
                .toList();
    }

    private boolean waitsStill(LockOwner thread, ManagedRuntime runtime) {
        return !(thread instanceof LockOwner.OfThread of)
                || runtime.lockWait(of.thread()).isFor(lock(thread));
    }

    private static void edge(LockOwner thread, LockOwner owner, Map<LockOwner, LockOwner> edges) {
        switch (owner) {
            case LockOwner.None _, LockOwner.Unknown _ -> {}
            case LockOwner.OfThread _, LockOwner.OfUnmounted _ -> {
                if (!owner.equals(thread)) {
                    edges.put(thread, owner);
                }
            }
        }
    }

    /** Returns the lock for which a thread waits. */
    LockWait lock(LockOwner thread) {
        return switch (thread) {
            case LockOwner.OfThread of -> waits.getOrDefault(of.thread(), LockWait.NONE);
            case LockOwner.OfUnmounted of -> {
                Awaited its = unmounted.get(of.managedId());
                yield its == null ? LockWait.NONE : its.lock();
            }
            case LockOwner.None _, LockOwner.Unknown _ -> LockWait.NONE;
        };
    }

    /** Returns the name of an unmounted thread; empty if it has none. */
    String name(long managedId) {
        return names.getOrDefault(managedId, "");
    }
}
