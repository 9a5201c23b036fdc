package mayfly.record.event;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import mayfly.discovery.Doctor.Need;
import mayfly.discovery.InspectedProcess;
import mayfly.discovery.Refused;
import mayfly.linux.sys.KernelClock;
import mayfly.profile.CaptureWriteException;
import mayfly.profile.Ledger;
import mayfly.profile.WalkOutcome;
import mayfly.record.event.SourceCost.StackCopy;
import mayfly.record.event.WaitCopier.Attempt;
import mayfly.record.wait.BlockedStack;
import mayfly.record.wait.ContendedLock;
import mayfly.record.wait.LockLookup;
import mayfly.record.wait.LockTotals;
import mayfly.record.wait.WaitReason;
import org.jspecify.annotations.Nullable;

/**
 * The waits of all threads where the kernel records no switches: at each tick, the time in which a thread has used no
 * CPU since the last tick belongs to the place where it is blocked now. No thread is stopped.
 */
final class PolledOffCpuSource implements EventSource {
    private static final int HZ = 99;

    static final SourceKind POLLED = new SourceKind(
            Collector.PTRACE,
            Set.of(Need.MEMORY),
            new SourceCost(0, HZ, List.of(new StackCopy(HZ, 1 << 20))),
            List.of("the kernel records no switches of threads here: each thread is looked at " + HZ
                    + " times a second, and the time for which it used no CPU belongs to the place where it is blocked"
                    + " then; --min-wait has no effect"),
            (request, kind) -> open(request, null));

    /** The waits for locks alone. */
    static final SourceKind LOCKS = new SourceKind(
            POLLED.collector(),
            POLLED.needs(),
            POLLED.cost(),
            List.of(
                    POLLED.limits().getFirst(),
                    "a virtual thread that waits for a lock while it is not mounted is not recorded"),
            (request, kind) -> open(request, new LockLookup(System::nanoTime, KernelClock.THREAD_CPU::nanos)));

    private static final long PERIOD_NANOS = 1_000_000_000L / HZ;
    /** Upper bound on the delay of a tick, ms. */
    private static final int TICK_MILLIS = 1;

    /** Time that is not attributed at a tick but at the next: the CPU time of a thread is known less exactly. */
    private static final long LEAST_NANOS = 1_000_000;
    /** Upper bound on the copies that are kept until their owners are read: the heap of this process is small. */
    private static final long MAX_COPIED_BYTES = 8 << 20;
    /** The time of a round is at most this part of all time. */
    private static final int PART = 5;

    /**
     * A thread when its waiting time was last attributed.
     *
     * @param since the time at which it was first seen
     */
    private record Seen(long since, long nanos, long cpuNanos) {}

    /** A thread that waits for a lock whose owner is to be read. */
    private record Locked(int tid, long now, long waited, Attempt.Locked found) {}

    private final InspectedProcess target;
    private final WaitCopier copier;
    private final Map<Integer, Seen> seen = new HashMap<>();
    /** Reads the locks; null if all waits are recorded. */
    private final @Nullable LockLookup locks;

    private final LockTotals lockTotals = new LockTotals(0);
    /** The threads of this round that wait for locks. */
    private final List<Locked> locked = new ArrayList<>();

    private long lockedBytes;

    private long lastTick;
    private long nextTick;
    private boolean sampling;
    private boolean ended;
    private boolean replaced;
    private long unknownNanos;
    private long postponed;

    private PolledOffCpuSource(InspectedProcess target, WaitCopier copier, @Nullable LockLookup locks) {
        this.target = target;
        this.copier = copier;
        this.locks = locks;
    }

    private static PolledOffCpuSource open(SourceRequest request, @Nullable LockLookup locks)
            throws Refused, IOException {
        WaitCopier copier = WaitCopier.open(request.target(), request.kernel() && locks == null, locks);
        return new PolledOffCpuSource(request.target(), copier, locks);
    }

    @Override
    public void enable() throws IOException {
        sampling = true;
        long now = System.nanoTime();
        for (int tid : target.process().tids()) {
            seeFirst(tid, now);
        }
        lastTick = now;
        nextTick = now + PERIOD_NANOS;
    }

    private void seeFirst(int tid, long now) {
        long cpu = cpu(tid);
        if (cpu >= 0) {
            seen.put(tid, new Seen(now, now, cpu));
        }
    }

    private long cpu(int tid) {
        return target.process().threadFacts().cpuNanos(tid);
    }

    @Override
    public boolean await(int timeoutMillis) {
        long left = Math.max(0, nextTick - System.nanoTime()) / 1_000_000;
        return !target.process().life().awaitExit((int) Math.min(left, timeoutMillis));
    }

    @Override
    public int intervalMillis() {
        return TICK_MILLIS;
    }

    @Override
    public boolean isDue() {
        return sampling && System.nanoTime() - nextTick >= -LEAST_NANOS;
    }

    @Override
    public void drain(SampleSink sink) throws IOException {
        long now = System.nanoTime();
        boolean isLast = !sampling && !ended;
        if (!isLast && (!sampling || now < nextTick - LEAST_NANOS)) {
            return;
        }
        ended = isLast;
        replaced |= target.isReplaced();
        if (replaced) {
            return; // waits after an execve belong to another program
        }
        Set<Integer> present = new HashSet<>();
        try {
            for (int tid : target.process().tids()) {
                present.add(tid);
            }
        } catch (IOException e) {
            return; // the target has ended; await will report it
        }
        for (int tid : present) {
            look(tid, sink);
        }
        writeLocked(sink);
        lastTick = now;
        seen.keySet().retainAll(present);
        long used = System.nanoTime() - now;
        postponed += used * PART > PERIOD_NANOS ? 1 : 0;
        nextTick = now + Math.max(PERIOD_NANOS, used * PART);
    }

    private void look(int tid, SampleSink sink) throws CaptureWriteException {
        long now = System.nanoTime();
        long cpu = cpu(tid);
        Seen before = seen.get(tid);
        if (cpu < 0) {
            return; // it has ended
        }
        if (before == null || cpu < before.cpuNanos()) {
            sink.born(target.process().pid(), tid, lastTick);
            seeFirst(tid, now);
            return;
        }
        long waited = now - before.nanos() - (cpu - before.cpuNanos());
        if (waited < LEAST_NANOS) {
            return;
        }
        seen.put(tid, new Seen(before.since, now, cpu));
        Attempt attempt = copier.copy(tid, before.since);
        boolean isBlocked = cpu(tid) == cpu;
        if (attempt instanceof Attempt.Copied(BlockedStack stack) && isBlocked) {
            write(tid, now, waited, stack, sink);
        } else if (attempt instanceof Attempt.Locked found && isBlocked) {
            locked.add(new Locked(tid, now, waited, found));
            lockedBytes += 8L * found.stack().words().length;
            if (lockedBytes >= MAX_COPIED_BYTES) {
                writeLocked(sink);
            }
        } else if (attempt instanceof Attempt.NoLock) {
            return;
        } else if (locks != null) {
            lockTotals.addUnknown(waited);
        } else {
            unknownNanos += waited;
            sink.begin();
            sink.write(tid, now, values(waited, WaitReason.UNKNOWN.word(), sink), WalkOutcome.NOT_COPIED);
        }
    }

    /** Reads the owners of all locks in one search. */
    private void writeLocked(SampleSink sink) throws CaptureWriteException {
        if (locks == null || locked.isEmpty()) {
            return;
        }
        List<ContendedLock> found =
                locks.locks(locked.stream().map(each -> each.found.lock()).toList());
        for (int i = 0; i < found.size(); i++) {
            Locked each = locked.get(i);
            write(each.tid, each.now, each.waited, each.found.stack().with(found.get(i)), sink);
        }
        locked.clear();
        lockedBytes = 0;
    }

    private void write(int tid, long now, long waited, BlockedStack stack, SampleSink sink)
            throws CaptureWriteException {
        ContendedLock lock = stack.lock();
        if (lock != null) {
            lockTotals.add(lock, waited);
        }
        String state = lock == null ? stack.reason().word() : lock.kind().word();
        SampleSink.Walk walk = WaitCopier.walk(tid, stack, sink);
        sink.write(tid, now, values(waited, state, sink), walk.outcome());
    }

    private static long[] values(long waited, String state, SampleSink sink) throws CaptureWriteException {
        return new long[] {waited, sink.word(state)};
    }

    @Override
    public void disable() {
        sampling = false;
    }

    @Override
    public long lost() {
        return 0;
    }

    @Override
    public boolean isReplaced() {
        return replaced;
    }

    @Override
    public String description() {
        return "waiting threads are looked at " + HZ + " times a second, and none is stopped";
    }

    @Override
    public void account(Ledger.Builder ledger) {
        ledger.note("threads that ended have waited unseen since the last look");
        if (locks != null) {
            lockTotals.notes(locks).forEach(ledger::note);
        }
        if (unknownNanos > 0) {
            ledger.note(String.format(
                    Locale.ROOT, "%.2f s of waits have no place: the thread ran at the look", unknownNanos / 1e9));
        }
        if (postponed > 0) {
            ledger.note(postponed + " looks took longer than a fifth of their interval, which was prolonged");
        }
    }

    @Override
    public void close() {
        copier.close();
    }
}
