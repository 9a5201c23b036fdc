package mayfly.stack.lock;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import mayfly.discovery.RuntimeThreads.RuntimeThread;
import mayfly.process.MemoryFault;
import mayfly.runtime.ManagedRuntime;
import mayfly.runtime.thread.LockOwner;
import mayfly.runtime.thread.LockWait;
import mayfly.runtime.thread.ManagedThread;
import mayfly.runtime.thread.ManagedThreadInfo;
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
     * Begins a new dump. The state of one thread of each runtime is read for nothing: the first such reading also reads
     * data of the runtime, which should not take place while a thread is stopped.
     *
     * @param runtimes the runtimes whose threads are dumped
     */
    public void begin(List<ManagedRuntime> runtimes) {
        noted.clear();
        for (ManagedRuntime runtime : runtimes) {
            try {
                runtime.threads().stream().findFirst().ifPresent(runtime::monitorState);
            } catch (MemoryFault e) {
                return; // the process is ending, which the end of the dump detects
            }
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
        Names names = new Names();
        Map<Integer, AwaitedLock> awaited = new HashMap<>();
        List<LockReport.Deadlock> deadlocks = new ArrayList<>();
        for (ManagedRuntime runtime : runtimes) {
            Map<ManagedThread, LockWait> waits = new HashMap<>();
            noted.values().stream()
                    .filter(each -> each.runtime.equals(runtime))
                    .forEach(each -> waits.put(each.thread, each.lock));
            Map<ManagedThread, LockOwner> owners = waits.isEmpty() ? Map.of() : runtime.lockOwners(waits);
            noted.forEach((tid, each) -> {
                if (each.runtime.equals(runtime)) {
                    LockOwner owner = owners.getOrDefault(each.thread, LockOwner.UNKNOWN);
                    awaited.put(tid, awaited(each.lock, owner, runtime, names));
                }
            });
            deadlocks.addAll(deadlocks(runtime, names));
        }
        return new LockReport(awaited, deadlocks);
    }

    private List<LockReport.Deadlock> deadlocks(ManagedRuntime runtime, Names names) {
        List<LockReport.Deadlock> found = new ArrayList<>();
        DeadlockSearch search = new DeadlockSearch(runtime, thread -> threads.cpuNanos(names.tid(thread)));
        for (Map<ManagedThread, LockWait> cycle : search.find()) {
            List<ManagedThread> waiting = List.copyOf(cycle.keySet());
            List<LockReport.Member> members = new ArrayList<>();
            for (int i = 0; i < waiting.size(); i++) {
                ManagedThread thread = waiting.get(i);
                LockOwner next = new LockOwner.OfThread(waiting.get((i + 1) % waiting.size()));
                AwaitedLock lock = awaited(cycle.getOrDefault(thread, LockWait.NONE), next, runtime, names);
                members.add(new LockReport.Member(names.tid(thread), names.name(runtime, thread), lock));
            }
            found.add(new LockReport.Deadlock(members));
        }
        return found;
    }

    private static AwaitedLock awaited(LockWait wait, LockOwner owner, ManagedRuntime runtime, Names names) {
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
                    case LockOwner.OfUnmounted of -> new AwaitedLock.Owner(0, "", of.managedId());
                    case LockOwner.None _, LockOwner.Unknown _ -> null;
                },
                unread == null ? "" : unread.label());
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
