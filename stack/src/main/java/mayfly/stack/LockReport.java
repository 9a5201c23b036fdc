package mayfly.stack;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The locks for which the threads of a dump wait.
 *
 * @param awaited the lock of each thread that waits for one, by the kernel's thread id
 * @param deadlocks the groups of threads of which each waits for a lock that the next one owns, and the last for one
 *     of the first; locks that record no owner and virtual threads that are not mounted are in none
 */
public record LockReport(Map<Integer, AwaitedLock> awaited, List<Deadlock> deadlocks) {
    /** The report of a dump whose threads wait for no lock. */
    public static final LockReport EMPTY = new LockReport(Map.of(), List.of());

    public LockReport {
        awaited = Map.copyOf(awaited);
        deadlocks = List.copyOf(deadlocks);
    }

    /** Threads that wait for one another, each for the next one, and the last for the first. */
    public record Deadlock(List<Member> members) {
        public Deadlock {
            members = List.copyOf(members);
        }
    }

    /**
     * A thread of a deadlock.
     *
     * @param tid the kernel's thread id
     * @param name its Java name, untrusted text; empty if it could not be read
     * @param lock the lock for which it waits
     */
    public record Member(int tid, String name, AwaitedLock lock) {}

    /**
     * A lock that a thread owns while others wait for it.
     *
     * @param lock the lock, as one of the threads waits for it
     * @param waiting the kernel's ids of the threads that wait for it
     */
    public record Contended(AwaitedLock lock, List<Integer> waiting) {
        public Contended {
            waiting = List.copyOf(waiting);
        }
    }

    /** The same lock, as two threads wait for it. */
    private record Identity(long object, String type, AwaitedLock.Owner owner) {}

    /** Returns the locks that have an owner, those for which most threads wait first. */
    public List<Contended> contended() {
        Map<Identity, List<Integer>> waiting = new LinkedHashMap<>();
        Map<Identity, AwaitedLock> locks = new LinkedHashMap<>();
        awaited.entrySet().stream().sorted(Map.Entry.comparingByKey()).forEach(each -> {
            AwaitedLock lock = each.getValue();
            if (lock.owner() != null) {
                var identity = new Identity(lock.object(), lock.type(), Objects.requireNonNull(lock.owner()));
                waiting.computeIfAbsent(identity, _ -> new ArrayList<>()).add(each.getKey());
                locks.putIfAbsent(identity, lock);
            }
        });
        List<Contended> contended = new ArrayList<>();
        waiting.forEach(
                (identity, tids) -> contended.add(new Contended(Objects.requireNonNull(locks.get(identity)), tids)));
        contended.sort(
                Comparator.comparingInt((Contended each) -> each.waiting().size())
                        .reversed());
        return contended;
    }
}
