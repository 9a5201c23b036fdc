package mayfly.linux.perf;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.List;
import mayfly.linux.LiveProcess;
import mayfly.linux.bpf.StackRing;
import mayfly.linux.perf.PerfRecords.Switch;
import mayfly.linux.sys.Poll;
import mayfly.linux.sys.Syscall;
import org.jspecify.annotations.Nullable;

/** The rings of all CPUs, and the meaning of their records. Drops records of other processes before copying them. */
public final class PerfRings implements AutoCloseable {
    /** enum perf_event_type, see linux/perf_event.h. */
    public static final int LOST = 2;

    public static final int COMM = 3;
    public static final int EXIT = 4;
    public static final int THROTTLE = 5;
    public static final int FORK = 7;
    public static final int SAMPLE = 9;
    public static final int LOST_SAMPLES = 13;
    public static final int SWITCH = 14;
    public static final int MISC_COMM_EXEC = 1 << 13;
    public static final int MISC_SWITCH_OUT = 1 << 13;
    /** Since Linux 4.17. */
    public static final int MISC_SWITCH_OUT_PREEMPT = 1 << 14;

    private static final int STACKS_MILLIS = 1;

    /** Decides which samples of the target count. */
    interface Filter {
        boolean accepts(long eventId, int tid);

        /** Reports that a thread has ended; its id may be reused. */
        default void ended(int tid) {}
    }

    private final int pid;
    private final Filter filter;
    private final List<PerfRing> rings;
    private final PerfSample sample;
    private final Poll poll;
    /** The ring with the rest of larger stacks; null if the kernel does not save them. */
    private final @Nullable StackRing stacks;
    /** Indexes into the poll set: first the rings' owners, then these. */
    private final int targetIndex;

    private final int stacksIndex;
    private boolean begun;
    private long begunNanos;
    private int samples;
    private long lost;
    private long throttled;
    private long malformed;
    private long dropped;
    private long lastExec = Long.MIN_VALUE;

    PerfRings(
            LiveProcess target,
            Filter filter,
            boolean hasChain,
            List<PerfEvent> owners,
            List<PerfRing> rings,
            @Nullable StackRing stacks) {
        this.pid = target.pid();
        this.filter = filter;
        this.rings = List.copyOf(rings);
        this.stacks = stacks;
        this.sample = new PerfSample(hasChain, stacks);
        targetIndex = owners.size();
        stacksIndex = targetIndex + 1;
        int[] numbers = new int[stacksIndex + 1];
        for (int i = 0; i < targetIndex; i++) {
            numbers[i] = owners.get(i).number();
        }
        numbers[targetIndex] = target.pidfd().number();
        numbers[stacksIndex] = -1;
        poll = new Poll(numbers);
    }

    PerfCollector.Wait await(int millis) {
        int most = millis;
        if (stacks != null) {
            // Poll returns at once while the ring contains data. Pages left after a drain wait for a sample that is
            // about to be written.
            boolean empty = stacks.isEmpty();
            poll.watch(stacksIndex, empty ? stacks.number() : -1);
            most = empty ? millis : Math.min(millis, STACKS_MILLIS);
        }
        if (poll.await(most) == 0) {
            return PerfCollector.Wait.TIMEOUT;
        }
        if (poll.events(targetIndex) != 0) {
            return PerfCollector.Wait.TARGET_GONE;
        }
        for (int i = 0; i < targetIndex; i++) {
            // The thread of a ring's event has ended. The ring remains, but poll would always return at once.
            if ((poll.events(i) & ~Poll.IN) != 0) {
                poll.ignore(i);
            }
        }
        return PerfCollector.Wait.DATA;
    }

    /** Marks the records present now as the end of the next drain. */
    void begin() {
        begun = true;
        begunNanos = System.nanoTime();
        rings.forEach(PerfRing::begin);
    }

    /** See {@link PerfCollector#lastExec()}. */
    long lastExec() {
        for (PerfRing ring : rings) {
            ring.lookAhead(this::noteExec);
        }
        return lastExec;
    }

    private void noteExec(long address, int type, int misc, int size) {
        if (type == COMM
                && isTargetsComm(address, size)
                && (misc & MISC_COMM_EXEC) != 0
                && Syscall.intAt(address + 12) == pid) {
            lastExec = Math.max(
                    lastExec,
                    Syscall.ALL.get(JAVA_LONG, address + size - PerfEventAttr.TRAILER + PerfEventAttr.TRAILER_TIME));
        }
    }

    /** See {@link PerfCollector#holdsNanos}. */
    long holdNanos(PerfOptions options) {
        return rings.stream()
                .mapToLong(ring -> options.nanosIn(ring.bytes()))
                .min()
                .orElse(0);
    }

    boolean isNearlyFull() {
        for (PerfRing ring : rings) {
            if (ring.isNearlyFull()) {
                return true;
            }
        }
        return stacks != null && stacks.isNearlyFull();
    }

    /**
     * Reads one record from each ring in turn. This approximates the order of the records in time, and frees space in
     * all rings at about the same rate.
     */
    int drain(PerfRecords records) {
        samples = 0;
        PerfRing.Reader reader = (address, type, misc, size) -> record(records, address, type, misc, size);
        if (!begun) {
            begin();
        }
        begun = false;
        boolean more;
        do {
            more = false;
            for (PerfRing ring : rings) {
                if (ring.hasNext()) {
                    more = true;
                    boolean sound = ring.next(reader); // the reader counts malformed records too
                    malformed += sound ? 0 : 1;
                }
            }
        } while (more);
        if (stacks != null) {
            stacks.release(begunNanos);
        }
        return samples;
    }

    private void record(PerfRecords records, long address, int type, int misc, int size) {
        switch (type) {
            case SAMPLE -> sample(records, address, size);
            case LOST -> lost(records, size < 24 ? -1 : Syscall.ALL.get(JAVA_LONG, address + 16));
            case LOST_SAMPLES -> lost(records, size < 16 ? -1 : Syscall.ALL.get(JAVA_LONG, address + 8));
            case COMM -> {
                noteExec(address, type, misc, size);
                comm(records, address, misc, size);
            }
            case SWITCH -> switched(records, address, misc, size);
            case FORK -> {
                if (isTask(address, size)) {
                    records.fork(
                            Syscall.intAt(address + 20),
                            Syscall.intAt(address + 16),
                            Syscall.ALL.get(JAVA_LONG, address + 24));
                }
            }
            case EXIT -> {
                if (isTask(address, size)) {
                    int tid = Syscall.intAt(address + 16);
                    filter.ended(tid);
                    records.exit(tid, Syscall.ALL.get(JAVA_LONG, address + 24));
                }
            }
            case THROTTLE -> {
                throttled++;
                records.throttle();
            }
            default -> {
                // UNTHROTTLE and types of later kernels: none of them is requested
            }
        }
    }

    private void sample(PerfRecords records, long address, int size) {
        if (!sample.readHead(address, size)) {
            malformed++;
        } else if (sample.pid() != pid) {
            dropped++;
        } else if (!sample.readBody()) {
            malformed++;
        } else {
            if (stacks != null) {
                stacks.sampled(sample);
            }
            if (filter.accepts(sample.id(), sample.tid())) {
                samples++;
                records.sample(sample);
            } else {
                dropped++;
            }
            if (stacks != null && !stacks.isEmpty()) {
                stacks.release();
            }
        }
    }

    private void switched(PerfRecords records, long address, int misc, int size) {
        long trailer = address + size - PerfEventAttr.TRAILER;
        if (size < 8 + PerfEventAttr.TRAILER) {
            malformed++;
            return;
        }
        int tid = Syscall.intAt(trailer + PerfEventAttr.TRAILER_TID);
        if (Syscall.intAt(trailer) != pid
                || !filter.accepts(Syscall.ALL.get(JAVA_LONG, trailer + PerfEventAttr.TRAILER_ID), tid)) {
            dropped++;
            return;
        }
        records.switched(tid, Syscall.ALL.get(JAVA_LONG, trailer + PerfEventAttr.TRAILER_TIME), kind(misc));
    }

    private static Switch kind(int misc) {
        if ((misc & MISC_SWITCH_OUT) == 0) {
            return Switch.IN;
        }
        return (misc & MISC_SWITCH_OUT_PREEMPT) == 0 ? Switch.OUT : Switch.PREEMPTED;
    }

    private void lost(PerfRecords records, long count) {
        if (count < 0) {
            malformed++;
        } else {
            lost += count;
            records.lost(count);
        }
    }

    /** Returns true if the size fits PERF_RECORD_COMM: pid, tid, a name that ends in a zero byte. */
    private static boolean isComm(int size) {
        return size > 16 + PerfEventAttr.TRAILER;
    }

    private boolean isTargetsComm(long address, int size) {
        return isComm(size) && Syscall.intAt(address + 8) == pid;
    }

    private void comm(PerfRecords records, long address, int misc, int size) {
        if (!isComm(size)) {
            malformed++;
            return;
        }
        if (!isTargetsComm(address, size)) {
            return;
        }
        byte[] name = new byte[Math.min(size - 16 - PerfEventAttr.TRAILER, 64)];
        MemorySegment.copy(Syscall.ALL, JAVA_BYTE, address + 16, name, 0, name.length);
        int length = 0;
        while (length < name.length && name[length] != 0) {
            length++;
        }
        records.comm(
                Syscall.intAt(address + 12),
                new String(name, 0, length, StandardCharsets.UTF_8),
                (misc & MISC_COMM_EXEC) != 0);
    }

    /** Returns true if the size fits PERF_RECORD_FORK and _EXIT: pid, ppid, tid, ptid, time. */
    private boolean isTask(long address, int size) {
        if (size < 32) {
            malformed++;
            return false;
        }
        return Syscall.intAt(address + 8) == pid;
    }

    void stackEndsAt(int tid, long address) {
        if (stacks != null) {
            stacks.ends().put(tid, address);
        }
    }

    long lost() {
        return lost;
    }

    long throttled() {
        return throttled;
    }

    long malformed() {
        return malformed;
    }

    long dropped() {
        return dropped;
    }

    @Override
    public void close() {
        rings.forEach(PerfRing::close);
        if (stacks != null) {
            stacks.close();
        }
    }
}
