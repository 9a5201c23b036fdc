package mayfly.record.suspension;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import mayfly.process.MemoryFault;
import mayfly.runtime.suspension.Suspension;
import mayfly.runtime.suspension.Suspension.Phase;
import mayfly.runtime.suspension.Suspensions;
import org.jspecify.annotations.Nullable;

/**
 * The suspensions of one runtime since the first reading, with one that had not ended then.
 *
 * <p>A runtime records only the latest suspension. If a reading finds a new one although the last one was not seen to
 * end, or if numbers are missing in between, those suspensions are counted as missed.
 */
public final class SuspensionWatch {
    /** Upper bound on the suspensions between two readings; a larger number is not believed. */
    private static final long MAX_MISSED = 1_000_000;

    private final Suspensions suspensions;
    private final LongSupplier clock;
    private final Deque<ObservedSuspension> ended = new ArrayDeque<>();
    private @Nullable ObservedSuspension current;
    /** The number of the last suspension that was seen; -1 before the first reading. */
    private long lastNumber = -1;

    private long missed;
    private int marked;

    /** @param clock returns CLOCK_MONOTONIC, ns; a time that it has not reached is not believed */
    public SuspensionWatch(Suspensions suspensions, LongSupplier clock) {
        this.suspensions = suspensions;
        this.clock = clock;
    }

    /**
     * Reads the latest suspension. Must be called often.
     *
     * @throws MemoryFault if the runtime cannot be read
     */
    public void look() throws MemoryFault {
        Optional<Suspension> latest = suspensions.latest();
        if (latest.isEmpty()) {
            return;
        }
        Suspension suspension = latest.get();
        if (lastNumber < 0) {
            lastNumber = suspension.number() - (suspension.phase() == Phase.ENDED ? 0 : 1);
        }
        if (suspension.number() - lastNumber <= MAX_MISSED) {
            see(suspension);
        }
    }

    private void see(Suspension latest) throws MemoryFault {
        if (latest.number() > lastNumber) {
            missed += latest.number() - lastNumber - 1 + (current == null ? 0 : 1);
            lastNumber = latest.number();
            current = new ObservedSuspension(latest);
        }
        ObservedSuspension observed = current;
        if (observed == null || observed.number() != latest.number()) {
            return;
        }
        observed.update(latest);
        if (latest.phase() == Phase.REACHING && !observed.knowsThreads()) {
            findThreads(observed, latest);
        }
        if (latest.phase() == Phase.ENDED) {
            current = null;
            end(observed, latest);
        }
    }

    /** Reads the threads for which a suspension waits, and accepts them if it still waits afterwards. */
    private void findThreads(ObservedSuspension observed, Suspension before) throws MemoryFault {
        Optional<Set<Integer>> running = suspensions.running();
        if (running.isPresent() && suspensions.latest().equals(Optional.of(before))) {
            observed.waitsFor(running.get());
        }
    }

    private void end(ObservedSuspension observed, Suspension last) {
        boolean isPlausible = last.begun() > 0
                && last.reached() >= last.begun()
                && last.ended() >= last.reached()
                && last.ended() <= clock.getAsLong();
        if (isPlausible) {
            ended.add(observed);
        } else {
            missed++;
        }
    }

    /** Returns the suspension that waited for threads at a time, among those that were not taken; null if none did. */
    public @Nullable ObservedSuspension waitingAt(long time) {
        ObservedSuspension open = current;
        if (open != null && open.waitedAt(time)) {
            return open;
        }
        for (ObservedSuspension each : ended) {
            if (each.waitedAt(time)) {
                return each;
            }
        }
        return null;
    }

    /** Returns true if a suspension has ended and was not taken. */
    public boolean hasEnded() {
        return !ended.isEmpty();
    }

    /** Marks the suspensions that have ended: no sample of them comes after the samples that exist now. */
    public void mark() {
        marked = ended.size();
    }

    /** Removes the oldest suspension that had ended at the last mark, and returns it; null if all were taken. */
    public @Nullable ObservedSuspension takeMarked() {
        if (marked == 0) {
            return null;
        }
        marked--;
        return ended.remove();
    }

    /**
     * Ends the observation. Returns the suspension that has not ended, with its times until now; null if there is none.
     *
     * @param now CLOCK_MONOTONIC, ns
     */
    public @Nullable ObservedSuspension finish(long now) {
        ObservedSuspension open = current;
        current = null;
        if (open == null || open.endObservation(now)) {
            return open;
        }
        missed++;
        return null;
    }

    /** Returns the number of suspensions whose times are not known. */
    public long missed() {
        return missed;
    }

    /** Returns the thread that suspends the others, by its id in the target's own pid namespace; 0 if unknown. */
    public int suspender() {
        try {
            return suspensions.suspender();
        } catch (MemoryFault e) {
            return 0; // the process is ending
        }
    }
}
