package mayfly.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The rings of all CPUs, and what their records mean. Drops what is not the target's before copying it. */
final class PerfRings implements AutoCloseable {
    /** enum perf_event_type, see linux/perf_event.h. */
    static final int LOST = 2;
    static final int COMM = 3;
    static final int EXIT = 4;
    static final int THROTTLE = 5;
    static final int FORK = 7;
    static final int SAMPLE = 9;
    static final int LOST_SAMPLES = 13;
    static final int MISC_COMM_EXEC = 1 << 13;

    /** Whether a sample of the target counts. */
    interface Filter {
        boolean accepts(long eventId, int tid);

        /** A thread has ended: its id may come to mean another. */
        default void ended(int tid) {
        }
    }

    private final int pid;
    private final Filter filter;
    private final List<PerfRing> rings;
    private final PerfSample sample;
    private final Poll poll;
    private final int[] numbers;
    private int samples;
    private long lost;
    private long throttled;
    private long malformed;
    private long dropped;

    PerfRings(LiveProcess target, Filter filter, boolean hasChain, List<PerfEvent> owners, List<PerfRing> rings) {
        this.pid = target.pid();
        this.filter = filter;
        this.rings = List.copyOf(rings);
        this.sample = new PerfSample(hasChain);
        numbers = new int[owners.size() + 1];
        for (int i = 0; i < owners.size(); i++) {
            numbers[i] = owners.get(i).number();
        }
        numbers[owners.size()] = target.pidfd().number();
        poll = new Poll(numbers);
    }

    PerfCollector.Wait await(int millis) {
        int target = numbers.length - 1;
        if (poll.await(millis) == 0) {
            return PerfCollector.Wait.TIMEOUT;
        }
        if (poll.events(target) != 0) {
            return PerfCollector.Wait.TARGET_GONE;
        }
        for (int i = 0; i < target; i++) {
            // The thread of a ring's event has ended. The ring lives on, but poll would return at once for ever.
            if ((poll.events(i) & ~Poll.IN) != 0) {
                poll.ignore(i);
            }
        }
        return PerfCollector.Wait.DATA;
    }

    int drain(PerfRecords records) {
        samples = 0;
        for (PerfRing ring : rings) {
            if (!ring.drain((address, type, misc, size) -> record(records, address, type, misc, size))) {
                malformed++;
            }
        }
        return samples;
    }

    private void record(PerfRecords records, long address, int type, int misc, int size) {
        switch (type) {
            case SAMPLE -> sample(records, address, size);
            case LOST -> lost(records, size < 24 ? -1 : Syscall.ALL.get(JAVA_LONG, address + 16));
            case LOST_SAMPLES -> lost(records, size < 16 ? -1 : Syscall.ALL.get(JAVA_LONG, address + 8));
            case COMM -> comm(records, address, misc, size);
            case FORK -> {
                if (isTask(address, size)) {
                    records.fork(Syscall.intAt(address + 20), Syscall.intAt(address + 16),
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
                // UNTHROTTLE and whatever later kernels add: nothing of it is asked for.
            }
        }
    }

    private void sample(PerfRecords records, long address, int size) {
        if (!sample.readHead(address, size)) {
            malformed++;
        } else if (sample.pid() != pid || !filter.accepts(sample.id(), sample.tid())) {
            dropped++;
        } else if (!sample.readBody()) {
            malformed++;
        } else {
            samples++;
            records.sample(sample);
        }
    }

    private void lost(PerfRecords records, long count) {
        if (count < 0) {
            malformed++;
        } else {
            lost += count;
            records.lost(count);
        }
    }

    /** PERF_RECORD_COMM: pid, tid, a name that ends in a zero byte. */
    private void comm(PerfRecords records, long address, int misc, int size) {
        if (size <= 16) {
            malformed++;
            return;
        }
        if (Syscall.ALL.get(JAVA_INT, address + 8) != pid) {
            return;
        }
        byte[] name = new byte[Math.min(size - 16, 64)];
        MemorySegment.copy(Syscall.ALL, JAVA_BYTE, address + 16, name, 0, name.length);
        int length = 0;
        while (length < name.length && name[length] != 0) {
            length++;
        }
        records.comm(Syscall.intAt(address + 12), new String(name, 0, length, StandardCharsets.UTF_8),
                (misc & MISC_COMM_EXEC) != 0);
    }

    /** PERF_RECORD_FORK and _EXIT: pid, ppid, tid, ptid, time. */
    private boolean isTask(long address, int size) {
        if (size < 32) {
            malformed++;
            return false;
        }
        return Syscall.intAt(address + 8) == pid;
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
    }
}
