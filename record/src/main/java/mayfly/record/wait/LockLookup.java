package mayfly.record.wait;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import mayfly.record.wait.ContendedLock.Kind;
import mayfly.runtime.ManagedRuntime;
import mayfly.runtime.thread.LockOwner;
import mayfly.runtime.thread.LockWait;
import mayfly.runtime.thread.ManagedThread;
import mayfly.runtime.thread.ManagedThreadInfo;
import mayfly.runtime.thread.ManagedThreadState;
import mayfly.runtime.thread.Unread;
import org.jspecify.annotations.Nullable;

/** Reads the locks for which blocked threads wait, and their owners. */
public final class LockLookup {
    /** A search for an owner reads all threads. Searches may use this part of the recording's time. */
    private static final int SEARCH_PART = 10;

    private static final long FIRST_SEARCH_NANOS = 200_000_000;
    /** The time for which the name of an owner is kept: a program may change it. */
    private static final long NAME_NANOS = 1_000_000_000;
    /** Upper bound on the names of owners: each is a frame of its own in the capture. */
    private static final int MAX_NAMES = 1_000;
    /** Upper bound on the length of a name, in chars. */
    private static final int MAX_TEXT = 200;

    private static final String OWNED_BY = "owned by ";
    private static final String OWNER_NOT_READ = "owner not read";
    private static final String UNNAMED = "a thread without a name";
    private static final String VIRTUAL = "a virtual thread";
    private static final String ANOTHER = "another thread";

    private final LongSupplier clock;
    private final LongSupplier cpuClock;
    private final long begunNanos;
    private long searchNanos;
    private long notSearched;
    private final Map<Unread, Long> unread = new EnumMap<>(Unread.class);
    private final Map<Owner, Name> names = new HashMap<>();
    /** The words for owners that captures have, by their names. */
    private final Map<String, String> written = new HashMap<>();

    private record Owner(ManagedRuntime runtime, ManagedThread thread) {}

    private record Name(String words, long readNanos) {}

    /** The result of reading the lock of a thread. */
    public sealed interface Reading {
        /** The thread waits for a lock. */
        record Waits(ManagedRuntime runtime, ManagedThread thread, Kind kind, LockWait lock) implements Reading {}

        /** The thread waits for no lock. */
        record NoLock() implements Reading {}

        /** It could not be read now, as during a collection. */
        record Failed() implements Reading {}
    }

    /**
     * Creates a lookup for a recording that begins now.
     *
     * @param clock CLOCK_MONOTONIC, ns
     * @param cpuClock the CPU time of this thread, ns
     */
    public LockLookup(LongSupplier clock, LongSupplier cpuClock) {
        this.clock = clock;
        this.cpuClock = cpuClock;
        this.begunNanos = clock.getAsLong();
    }

    /**
     * Reads the lock for which a thread waits now.
     *
     * @param state its state, which was read just now
     */
    public Reading read(ManagedRuntime runtime, ManagedThread thread, ManagedThreadState state) {
        switch (state) {
            case BLOCKED, PARKED, TIMED_PARKED -> {
                return readLock(runtime, thread);
            }
            case UNKNOWN -> {
                return failed(Unread.MOVING);
            }
            default -> {
                return new Reading.NoLock();
            }
        }
    }

    private Reading readLock(ManagedRuntime runtime, ManagedThread thread) {
        LockWait wait = runtime.lockWait(thread);
        Unread reason = wait.unread();
        if (reason != null) {
            return failed(reason);
        }
        return switch (wait.kind()) {
            case NONE, NOTIFICATION, PARK, INITIALIZATION -> new Reading.NoLock();
            case ENTER, REENTER -> new Reading.Waits(runtime, thread, Kind.MONITOR, wait);
            case ACQUIRE -> new Reading.Waits(runtime, thread, Kind.SYNCHRONIZER, wait);
        };
    }

    private Reading failed(Unread reason) {
        unread.merge(reason, 1L, Long::sum);
        return new Reading.Failed();
    }

    /** Returns the locks of readings with their owners, which are read now, in one search for each runtime. */
    public List<ContendedLock> locks(List<Reading.Waits> readings) {
        Map<Reading.Waits, String> owners = new HashMap<>();
        if (searchNanos > FIRST_SEARCH_NANOS + (clock.getAsLong() - begunNanos) / SEARCH_PART) {
            notSearched += readings.size();
        } else {
            long before = cpuClock.getAsLong();
            readings.stream()
                    .map(Reading.Waits::runtime)
                    .distinct()
                    .forEach(runtime -> search(runtime, readings, owners));
            searchNanos += cpuClock.getAsLong() - before;
        }
        long now = clock.getAsLong();
        return readings.stream()
                .map(waits -> lock(waits, owners.getOrDefault(waits, OWNER_NOT_READ), now))
                .toList();
    }

    private static ContendedLock lock(Reading.Waits waits, String owner, long now) {
        LockWait wait = waits.lock;
        long address = waits.kind == Kind.MONITOR ? wait.monitor() : wait.object();
        return new ContendedLock(waits.runtime.id(), waits.kind, bounded(wait.type()), address, owner, now);
    }

    private void search(ManagedRuntime runtime, List<Reading.Waits> readings, Map<Reading.Waits, String> into) {
        List<Reading.Waits> its =
                readings.stream().filter(waits -> waits.runtime.equals(runtime)).toList();
        Map<ManagedThread, LockWait> locks = new HashMap<>();
        its.forEach(waits -> locks.put(waits.thread, waits.lock));
        Map<ManagedThread, LockOwner> owners = runtime.lockOwners(locks);
        for (Reading.Waits waits : its) {
            into.put(waits, words(waits, owners.getOrDefault(waits.thread, LockOwner.UNKNOWN)));
        }
    }

    private String words(Reading.Waits waits, LockOwner owner) {
        return switch (owner) {
            case LockOwner.None _ -> "";
            case LockOwner.Unknown _ -> ContendedLock.OWNER_UNKNOWN;
            // It has just got the lock.
            case LockOwner.OfThread of when of.thread().equals(waits.thread) -> ContendedLock.OWNER_UNKNOWN;
            case LockOwner.OfThread of -> name(waits.runtime, of.thread());
            case LockOwner.OfUnmounted _ -> OWNED_BY + VIRTUAL;
        };
    }

    private String name(ManagedRuntime runtime, ManagedThread thread) {
        long now = clock.getAsLong();
        Owner owner = new Owner(runtime, thread);
        Name known = names.get(owner);
        if (known != null && now - known.readNanos <= NAME_NANOS) {
            return known.words;
        }
        names.values().removeIf(name -> now - name.readNanos > NAME_NANOS);
        ManagedThreadInfo info = runtime.info(thread);
        if (info.mounted() != null) {
            return OWNED_BY + VIRTUAL; // it may carry another one by now
        }
        Name read = new Name(words(info.name()), now);
        names.put(owner, read);
        return read.words;
    }

    private String words(@Nullable String name) {
        String text = name == null || name.isEmpty() ? UNNAMED : bounded(name);
        if (written.size() >= MAX_NAMES && !written.containsKey(text)) {
            return OWNED_BY + ANOTHER;
        }
        return written.computeIfAbsent(text, OWNED_BY::concat);
    }

    private static String bounded(String text) {
        return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT) + "…";
    }

    /** Returns the number of locks whose owner was not read, because the searches had used their share of time. */
    long notSearched() {
        return notSearched;
    }

    /** Returns the number of attempts that failed, by the reason. */
    Map<Unread, Long> unread() {
        return unread;
    }
}
