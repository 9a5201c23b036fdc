package mayfly.stack.lock;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.stream.Collectors;
import mayfly.discovery.RuntimeThreads.RuntimeThread;
import mayfly.runtime.ManagedRuntime;
import mayfly.runtime.thread.LockOwner;
import mayfly.runtime.thread.LockWait;
import mayfly.runtime.thread.ManagedThread;
import mayfly.runtime.thread.ManagedThreadInfo;
import mayfly.runtime.thread.UnmountedThread;
import mayfly.runtime.thread.Unread;
import mayfly.stack.state.LockReport;
import mayfly.stack.state.LockReport.AwaitedLock;
import mayfly.stack.state.LockReport.AwaitedLock.Ownership;
import org.jspecify.annotations.Nullable;

/**
 * Reads the locks for which the threads of a dump wait: for each thread together with its walk, and the owners after
 * all walks.
 */
public final class LockReading {
    private final KernelThreads threads;
    /** The threads that wait for a lock, by the kernel's thread id. */
    private final Map<Integer, Noted> noted = new HashMap<>();
    /** The locks of each runtime while all threads were stopped; empty for a dump without virtual threads. */
    private final Map<ManagedRuntime, LockMoment> moments = new HashMap<>();

    private Names names = new Names();

    private record Noted(ManagedRuntime runtime, ManagedThread thread, LockWait lock) {}

    /** The threads of the process according to the kernel. */
    public interface KernelThreads {
        /** Returns the kernel's ids of the threads, by those in the process's own pid namespace. */
        Map<Integer, Integer> idsByInnerIds();

        /** Returns the CPU time that a thread has used so far, ns; -1 if the kernel does not report it. */
        long cpuNanos(int tid);
    }

    public LockReading(KernelThreads threads) {
        this.threads = threads;
    }

    /**
     * Begins a new dump, before any thread is stopped.
     *
     * @param runtimes the runtimes whose threads are dumped
     */
    public void begin(List<ManagedRuntime> runtimes) {
        noted.clear();
        moments.clear();
        names = new Names();
        runtimes.forEach(ManagedRuntime::prepareMonitors);
    }

    /**
     * Reads the locks for which threads wait, and their owners, while all threads are stopped.
     *
     * @param deadlineNanos the {@link System#nanoTime()} by which it must return
     */
    public void stopped(List<ManagedRuntime> runtimes, long deadlineNanos) {
        runtimes.forEach(runtime -> moments.put(runtime, LockMoment.read(runtime, deadlineNanos)));
    }

    /** Adds an unmounted thread, copied while all threads were stopped. */
    public void add(ManagedRuntime runtime, UnmountedThread thread) {
        LockMoment moment = moments.get(runtime);
        if (moment != null) {
            moment.add(thread);
        }
    }

    /**
     * Returns the lock for which an unmounted thread waited while all threads were stopped; null if there is none.
     * Called after all threads were added.
     */
    public @Nullable AwaitedLock awaited(ManagedRuntime runtime, UnmountedThread.Awaited awaited) {
        LockWait lock = awaited.lock();
        return lock.kind() == LockWait.Kind.NONE && lock.unread() == null
                ? null
                : awaited(lock, awaited.owner(), runtime);
    }

    /**
     * Adds the owners of monitors that an unmounted thread of a runtime has entered. Called after all its threads.
     *
     * @param enteredBy returns the thread that has entered the monitor of the object at an address
     */
    public void complete(ManagedRuntime runtime, LongFunction<LockOwner> enteredBy) {
        LockMoment moment = moments.get(runtime);
        if (moment != null) {
            moment.complete(enteredBy);
        }
    }

    /** Reads the lock for which a thread waits now. */
    public void note(int tid, RuntimeThread thread) {
        LockWait wait = thread.runtime().lockWait(thread.thread());
        if (wait.kind() != LockWait.Kind.NONE || wait.unread() != null) {
            noted.put(tid, new Noted(thread.runtime(), thread.thread(), wait));
        }
    }

    /**
     * Finds the owners and the deadlocks.
     *
     * @param runtimes the runtimes whose threads are dumped
     */
    public LockReport report(List<ManagedRuntime> runtimes) {
        Map<Integer, AwaitedLock> awaited = new HashMap<>();
        List<AwaitedLock> ofUnmounted = new ArrayList<>();
        List<LockReport.Deadlock> deadlocks = new ArrayList<>();
        for (ManagedRuntime runtime : runtimes) {
            Map<ManagedThread, LockWait> waits = new HashMap<>();
            noted.values().stream()
                    .filter(each -> each.runtime.equals(runtime))
                    .forEach(each -> waits.put(each.thread, each.lock));
            Map<ManagedThread, LockOwner> owners = waits.isEmpty() ? Map.of() : runtime.lockOwners(waits);
            LockMoment moment = moments.get(runtime);
            noted.forEach((tid, each) -> {
                if (each.runtime.equals(runtime)) {
                    LockOwner owner = owners.getOrDefault(each.thread, LockOwner.UNKNOWN);
                    if (moment != null && owner.equals(LockOwner.UNKNOWN)) {
                        owner = moment.ownerOf(each.thread, each.lock);
                    }
                    awaited.put(tid, awaited(each.lock, owner, runtime));
                }
            });
            if (moment == null) {
                deadlocks.addAll(searched(runtime));
            } else {
                moment.ofUnmounted().forEach(each -> ofUnmounted.add(awaited(each.lock(), each.owner(), runtime)));
                moment.deadlocks(runtime).forEach(cycle -> deadlocks.add(deadlock(cycle, moment::lock, runtime)));
                if (!moment.isComplete()) {
                    addOthers(searched(runtime), deadlocks);
                }
            }
        }
        moments.clear();
        return new LockReport(awaited, ofUnmounted, deadlocks);
    }

    /** Adds the deadlocks whose first thread is in none of those that are known. */
    private static void addOthers(List<LockReport.Deadlock> found, List<LockReport.Deadlock> to) {
        Set<Integer> known = to.stream()
                .flatMap(each -> each.members().stream())
                .map(LockReport.Member::tid)
                .collect(Collectors.toSet());
        found.stream()
                .filter(each -> !known.contains(each.members().getFirst().tid()))
                .forEach(to::add);
    }

    /** Finds the deadlocks of a runtime while its threads run. */
    private List<LockReport.Deadlock> searched(ManagedRuntime runtime) {
        List<LockReport.Deadlock> found = new ArrayList<>();
        DeadlockSearch search = new DeadlockSearch(runtime, thread -> threads.cpuNanos(names.tid(thread)));
        for (Map<ManagedThread, LockWait> cycle : search.find()) {
            Map<LockOwner, LockWait> locks = new LinkedHashMap<>();
            cycle.forEach((thread, lock) -> locks.put(new LockOwner.OfThread(thread), lock));
            found.add(deadlock(
                    List.copyOf(locks.keySet()), thread -> locks.getOrDefault(thread, LockWait.NONE), runtime));
        }
        return found;
    }

    private LockReport.Deadlock deadlock(
            List<LockOwner> cycle, Function<LockOwner, LockWait> locks, ManagedRuntime runtime) {
        List<LockReport.Member> members = new ArrayList<>();
        for (int i = 0; i < cycle.size(); i++) {
            LockOwner thread = cycle.get(i);
            AwaitedLock lock = awaited(locks.apply(thread), cycle.get((i + 1) % cycle.size()), runtime);
            members.add(
                    switch (thread) {
                        case LockOwner.OfThread of -> {
                            AwaitedLock.Owner its = names.owner(runtime, of.thread());
                            yield new LockReport.Member(its.tid(), its.name(), its.id(), lock);
                        }
                        case LockOwner.OfUnmounted of -> {
                            AwaitedLock.Owner its = unmounted(runtime, of.managedId());
                            yield new LockReport.Member(0, its.name(), its.id(), lock);
                        }
                        case LockOwner.None _, LockOwner.Unknown _ ->
                            throw new IllegalArgumentException("no thread in a deadlock");
                    });
        }
        return new LockReport.Deadlock(members);
    }

    private AwaitedLock awaited(LockWait wait, LockOwner owner, ManagedRuntime runtime) {
        Unread unread = wait.unread();
        Ownership ownership = switch (owner) {
            case LockOwner.None _ -> Ownership.NONE;
            case LockOwner.Unknown _ -> Ownership.UNKNOWN;
            case LockOwner.OfThread _, LockOwner.OfUnmounted _ -> Ownership.KNOWN;
        };
        return new AwaitedLock(
                AwaitedLock.Kind.of(wait.kind()),
                wait.type(),
                wait.object(),
                ownership,
                switch (owner) {
                    case LockOwner.OfThread of -> names.owner(runtime, of.thread());
                    case LockOwner.OfUnmounted of -> unmounted(runtime, of.managedId());
                    case LockOwner.None _, LockOwner.Unknown _ -> null;
                },
                unread == null ? "" : unread.label());
    }

    /** Returns a virtual thread that is not mounted; its name is known in a dump with these threads. */
    private AwaitedLock.Owner unmounted(ManagedRuntime runtime, long managedId) {
        LockMoment moment = moments.get(runtime);
        return new AwaitedLock.Owner(0, moment == null ? "" : moment.name(managedId), managedId);
    }

    /** The names and the kernel's ids of threads that own locks. */
    private final class Names {
        private final Map<ManagedThread, ManagedThreadInfo> infos = new HashMap<>();
        /** The kernel's ids by those in the process's own pid namespace; null until one is needed. */
        private @Nullable Map<Integer, Integer> outer;

        /** Returns the kernel's id of a thread, 0 if it has ended. */
        int tid(ManagedThread thread) {
            Map<Integer, Integer> known = outer;
            if (known == null) {
                known = threads.idsByInnerIds();
                outer = known;
            }
            return known.getOrDefault(thread.tid(), 0);
        }

        String name(ManagedRuntime runtime, ManagedThread thread) {
            String name = infos.computeIfAbsent(thread, runtime::info).name();
            return name == null ? "" : name;
        }

        AwaitedLock.Owner owner(ManagedRuntime runtime, ManagedThread thread) {
            String name = name(runtime, thread);
            ManagedThreadInfo info = infos.computeIfAbsent(thread, runtime::info);
            return new AwaitedLock.Owner(tid(thread), name, info.managedId());
        }
    }
}
