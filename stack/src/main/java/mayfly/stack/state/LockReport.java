package mayfly.stack.state;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import mayfly.runtime.thread.LockWait;
import org.jspecify.annotations.Nullable;

/**
 * The locks for which the threads of a dump wait.
 *
 * @param awaited the lock of each thread that waits for one, by the kernel's thread id
 * @param ofUnmounted the locks of virtual threads that are not mounted, one for each thread; empty for a dump without
 *     them
 * @param deadlocks the groups of threads of which each waits for a lock that the next one owns, and the last for one
 *     of the first; locks that record no owner are in none, and virtual threads that are not mounted only in a dump
 *     with them
 */
public record LockReport(Map<Integer, AwaitedLock> awaited, List<AwaitedLock> ofUnmounted, List<Deadlock> deadlocks) {
    /** The report of a dump whose threads wait for no lock. */
    public static final LockReport EMPTY = new LockReport(Map.of(), List.of(), List.of());

    public LockReport {
        awaited = Map.copyOf(awaited);
        ofUnmounted = List.copyOf(ofUnmounted);
        deadlocks = List.copyOf(deadlocks);
    }

    /**
     * The lock for which a thread of a dump waits. Names come from the target: untrusted text.
     *
     * @param kind the way in which it waits
     * @param type the name of the class of the object; for a class object, {@code java.lang.Class for NAME} or, if its
     *     initialization is awaited, {@code NAME}
     * @param object the address of the object when it was read; a collection may have moved it since
     * @param ownership the reason why there is an owner or none
     * @param owner the owner; null unless it is {@link Ownership#KNOWN}
     * @param unread the reason why the lock could not be read; empty if it was
     */
    public record AwaitedLock(
            Kind kind,
            String type,
            long object,
            Ownership ownership,
            @Nullable Owner owner,
            String unread) {

        /** The way in which a thread waits for a lock. */
        public enum Kind {
            /** Not known, because the lock could not be read. */
            UNKNOWN(""),
            /** It waits to enter a monitor. */
            ENTER("waiting to lock"),
            /** It was notified in Object.wait, and waits to enter the monitor again. */
            REENTER("waiting to re-lock in wait()"),
            /** It is in Object.wait. */
            NOTIFICATION("waiting on"),
            /** It is in LockSupport.park, with a blocker. */
            PARK("parking to wait for"),
            /** It waits until the owner has initialized a class. */
            INITIALIZATION("waiting for");

            private final String words;

            Kind(String words) {
                this.words = words;
            }

            /** Returns the words of a thread dump. */
            public String words() {
                return words;
            }

            /** Returns the way for that of a runtime. */
            public static Kind of(LockWait.Kind kind) {
                return switch (kind) {
                    case NONE -> UNKNOWN;
                    case ENTER -> ENTER;
                    case REENTER -> REENTER;
                    case NOTIFICATION -> NOTIFICATION;
                    case ACQUIRE, PARK -> PARK;
                    case INITIALIZATION -> INITIALIZATION;
                };
            }
        }

        /** The knowledge about the owner of a lock. */
        public enum Ownership {
            /** A thread owns it. */
            KNOWN,
            /** No thread owns it, or its kind records no owner: a semaphore, the read lock of a pair, a condition. */
            NONE,
            /** The owner is not known: it has changed since the thread was walked, or it could not be read. */
            UNKNOWN
        }

        /**
         * The thread that owns a lock.
         *
         * @param tid the kernel's thread id; 0 for a virtual thread that is not mounted
         * @param name its Java name; empty if it is not known
         * @param id the runtime's thread id; 0 if it is not known
         */
        public record Owner(int tid, String name, long id) {}
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
     * @param tid the kernel's thread id; 0 for a virtual thread that is not mounted
     * @param name its Java name, untrusted text; empty if it has none, or if it could not be read
     * @param id the runtime's thread id; 0 if it is not known
     * @param lock the lock for which it waits
     */
    public record Member(int tid, String name, long id, AwaitedLock lock) {}

    /**
     * A lock that a thread owns while others wait for it.
     *
     * @param lock the lock, as one of the threads waits for it
     * @param waiting the number of threads that wait for it
     */
    public record Contended(AwaitedLock lock, int waiting) {}

    /**
     * Returns the synchronizers that each thread owns and for which others wait, by the kernel's id of the owner. Those
     * for which no thread waits are not known.
     */
    public Map<Integer, List<AwaitedLock>> synchronizers() {
        Map<Integer, List<AwaitedLock>> owned = new HashMap<>();
        for (Contended each : contended()) {
            AwaitedLock.Owner owner = Objects.requireNonNull(each.lock().owner());
            if (each.lock().kind() == AwaitedLock.Kind.PARK && owner.tid() != 0) {
                owned.computeIfAbsent(owner.tid(), _ -> new ArrayList<>()).add(each.lock());
            }
        }
        return owned;
    }

    /** The same lock, as two threads wait for it. */
    private record Identity(long object, String type, AwaitedLock.Owner owner) {}

    /** Returns the locks that have an owner, those for which most threads wait first. */
    public List<Contended> contended() {
        Map<Identity, Integer> waiting = new LinkedHashMap<>();
        Map<Identity, AwaitedLock> locks = new HashMap<>();
        Stream<AwaitedLock> ofThreads =
                awaited.entrySet().stream().sorted(Map.Entry.comparingByKey()).map(Map.Entry::getValue);
        Stream.concat(ofThreads, ofUnmounted.stream()).forEach(lock -> {
            if (lock.owner() != null) {
                var identity = new Identity(lock.object(), lock.type(), Objects.requireNonNull(lock.owner()));
                waiting.merge(identity, 1, Integer::sum);
                locks.putIfAbsent(identity, lock);
            }
        });
        List<Contended> contended = new ArrayList<>();
        waiting.forEach(
                (identity, count) -> contended.add(new Contended(Objects.requireNonNull(locks.get(identity)), count)));
        contended.sort(Comparator.comparingInt(Contended::waiting).reversed());
        return contended;
    }
}
