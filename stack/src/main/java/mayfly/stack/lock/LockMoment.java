package mayfly.stack.lock;

import java.util.ArrayList;
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
 * The locks for which the threads of one runtime wait and their owners, read while all threads were stopped: all of it
 * was true at one moment. The unmounted threads are added after that, from a copy of the same moment.
 */
final class LockMoment {
    private final Map<ManagedThread, LockWait> waits;
    private final Map<ManagedThread, LockOwner> owners;
    private final Map<Long, UnmountedThread> unmounted = new HashMap<>();

    private LockMoment(Map<ManagedThread, LockWait> waits, Map<ManagedThread, LockOwner> owners) {
        this.waits = waits;
        this.owners = new HashMap<>(owners);
    }

    /**
     * Reads the locks of the threads that the kernel runs. All threads must be stopped; the locks of threads that are
     * not read by the deadline are not known.
     *
     * @param deadlineNanos the {@link System#nanoTime()} by which it must return
     */
    static LockMoment read(ManagedRuntime runtime, long deadlineNanos) {
        Map<ManagedThread, LockWait> waits = new HashMap<>();
        try {
            for (ManagedThread thread : runtime.threads()) {
                if (System.nanoTime() - deadlineNanos >= 0) {
                    break;
                }
                LockWait wait = runtime.lockWait(thread);
                switch (wait.kind()) {
                    case NONE, NOTIFICATION -> {}
                    case ENTER, REENTER, ACQUIRE, PARK -> waits.put(thread, wait);
                }
            }
        } catch (MemoryFault e) {
            waits.clear(); // the process is ending
        }
        return new LockMoment(waits, waits.isEmpty() ? Map.of() : runtime.lockOwners(waits));
    }

    /** Adds a thread that no thread of the kernel ran. */
    void add(UnmountedThread thread) {
        switch (thread.awaited().lock().kind()) {
            case NONE, NOTIFICATION -> {}
            case ENTER, REENTER, ACQUIRE, PARK -> unmounted.put(thread.managedId(), thread);
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

    /** Returns the owner of the lock for which a thread waits, if it is still the same lock. */
    LockOwner ownerOf(ManagedThread thread, LockWait lock) {
        return lock.isFor(waits.getOrDefault(thread, LockWait.NONE))
                ? owners.getOrDefault(thread, LockOwner.UNKNOWN)
                : LockOwner.UNKNOWN;
    }

    /** Returns the locks for which unmounted threads wait. */
    List<Awaited> ofUnmounted() {
        return unmounted.values().stream().map(UnmountedThread::awaited).toList();
    }

    /** Returns the groups of threads that wait for one another; each waits for the next one. */
    List<List<LockOwner>> deadlocks() {
        Map<LockOwner, LockOwner> edges = new HashMap<>();
        owners.forEach((thread, owner) -> edge(new LockOwner.OfThread(thread), owner, edges));
        unmounted.forEach((id, thread) ->
                edge(new LockOwner.OfUnmounted(id), thread.awaited().owner(), edges));
        return new ArrayList<>(DeadlockSearch.cycles(edges));
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
                UnmountedThread its = unmounted.get(of.managedId());
                yield its == null ? LockWait.NONE : its.awaited().lock();
            }
            case LockOwner.None _, LockOwner.Unknown _ -> LockWait.NONE;
        };
    }

    /** Returns the name of an unmounted thread that waits for a lock; empty if it is not known. */
    String name(long managedId) {
        UnmountedThread its = unmounted.get(managedId);
        return its == null ? "" : its.name();
    }
}
