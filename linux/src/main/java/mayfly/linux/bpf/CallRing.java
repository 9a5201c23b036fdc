package mayfly.linux.bpf;

import java.util.List;
import mayfly.arch.Architecture;
import mayfly.linux.LiveProcess;
import mayfly.linux.sys.Cpu;
import mayfly.linux.sys.ErrnoException;
import mayfly.linux.sys.Fd;
import mayfly.linux.sys.Owned;
import mayfly.process.Registers;
import org.jspecify.annotations.Nullable;

/** The calls that threads of a process make at uprobes, each with registers and stack. Belongs to one thread. */
public final class CallRing implements AutoCloseable {
    static final int PAGE = Cpu.ABI.architecture().pageSize();
    /** The copied part of a stack, from the page of the stack pointer on. */
    static final int PAGES = 8;
    /**
     * The words of struct pt_regs that are written: it begins as struct user_regs_struct does, up to the stack pointer.
     */
    static final int REGISTER_WORDS = 1
            + Math.max(
                            Cpu.ABI.savedRegisters().stackPointer(),
                            Cpu.ABI.savedRegisters().programCounter())
                    / Long.BYTES;
    /**
     * Offsets in a record: u32 tid, u32 tgid; the time; the number of copied pages; the weight; the registers; the
     * pages.
     */
    static final int ID = 0;

    static final int TIME = 8;
    static final int COPIED = 16;
    static final int WEIGHT = 24;
    static final int REGISTERS = 32;
    static final int WORDS = REGISTERS + Long.BYTES * REGISTER_WORDS;
    static final int RECORD = WORDS + PAGES * PAGE;
    /** The length of a record that stands for a call for which there was no room. */
    static final int NO_ROOM = 8;
    /** Bytes reserved for records without a call. */
    static final int KEPT_BYTES = 1 << 16;

    private static final int BYTES = 16 << 20;
    /** The number of threads whose sums are kept; others may evict them, and lose less than an interval. */
    private static final int THREADS = 1 << 13;

    private final BpfRing ring;
    private final Fd program;
    private final @Nullable Fd sums;
    private final Registers registers = new Registers(Cpu.ABI.architecture());
    private final long[] stack = new long[PAGES * PAGE / Long.BYTES];
    private long read;
    private long end;
    private long lost;
    private long at;
    private int copied;

    /**
     * The choice of calls: each stands for a multiple of an interval.
     *
     * @param argument the index of the integer argument that is added up
     * @param interval a power of two, at most 2<sup>30</sup>
     */
    public record Weighing(int argument, int interval) {
        /** @throws IllegalArgumentException if the interval is no power of two up to 2^30 */
        public Weighing {
            if (interval <= 0 || Integer.bitCount(interval) != 1) {
                throw new IllegalArgumentException("interval " + interval);
            }
        }

        /** Returns the offset of the argument in struct pt_regs. */
        int offset() {
            Integer register = Cpu.ABI.architecture().argumentRegisters().get(argument);
            return Cpu.ABI.userRegisters().indexOf(register) * Long.BYTES;
        }
    }

    /** Receives calls. */
    public interface Each {
        /**
         * Reports a call. The registers and the stack are valid until it returns.
         *
         * @param time CLOCK_MONOTONIC, ns
         * @param weight the multiple of the interval that the call stands for; untrusted
         * @param words the number of words of the stack that can be had from {@link CallRing#stack}
         */
        void call(int tid, long time, Registers registers, long weight, int words);
    }

    CallRing(BpfRing ring, Fd program, @Nullable Fd sums) {
        this.ring = ring;
        this.program = program;
        this.sums = sums;
    }

    /**
     * Loads the program for the threads of a process.
     *
     * @return null if the process cannot be identified in its pid namespace
     * @throws ErrnoException if the kernel does not permit or support it
     */
    public static @Nullable CallRing open(LiveProcess target, Weighing weighing) throws ErrnoException {
        try (Owned owned = new Owned()) {
            BpfRing ring = owned.add(BpfRing.create(BYTES));
            Fd sums = owned.add(Bpf.table(THREADS));
            Fd program = CallProgram.load(target, ring, sums, weighing);
            return program == null ? null : owned.release(new CallRing(ring, program, sums));
        }
    }

    /**
     * Tries what {@link #open} needs.
     *
     * @throws ErrnoException if the kernel does not permit or support it
     */
    public static void tryOut() throws ErrnoException {
        BpfRing.create(PAGE).close();
        CallProgram.tryOut().close();
    }

    /** Returns the program's descriptor, to which events are bound. */
    public int program() {
        return program.number();
    }

    /** Returns true if more than a quarter of the ring is unread. */
    public boolean isDue() {
        return ring.written() - read > ring.bytes() / 4;
    }

    /** Drops the calls present now. */
    public void skip() {
        begin();
        drain((tid, time, its, weight, words) -> {});
        lost = 0;
    }

    /** Marks the calls present now as the end of the next {@link #drain}. */
    public void begin() {
        end = ring.written();
    }

    /** Delivers the calls that were present at {@link #begin}, and releases their space. */
    public void drain(Each each) {
        while (read < end && !ring.isBusy(read)) {
            if (ring.isRecord(read, RECORD)) {
                deliver(read, each);
            } else if (ring.isRecord(read, NO_ROOM)) {
                lost++;
            }
            read = ring.next(read, end);
            ring.release(read);
        }
    }

    private void deliver(long position, Each each) {
        at = position;
        copied = 0;
        List<Integer> numbers = Cpu.ABI.userRegisters();
        registers.clear();
        for (int i = 0; i < REGISTER_WORDS; i++) {
            if (numbers.get(i) != Architecture.NONE) {
                registers.set(numbers.get(i), ring.word(position, REGISTERS + Long.BYTES * i));
            }
        }
        long pages = ring.word(position, COPIED);
        long below = registers.sp() & PAGE - 1;
        boolean isSound = pages >= 0 && pages <= PAGES && below % Long.BYTES == 0;
        long bytes = isSound ? Math.max(0, pages * PAGE - below) : 0;
        each.call(
                (int) ring.word(position, ID), ring.word(position, TIME), registers, ring.word(position, WEIGHT), (int)
                        (bytes / Long.BYTES));
    }

    /** Returns the stack of the call that is being delivered, from the stack pointer on: at least this many words. */
    public long[] stack(int count) {
        int below = (int) (registers.sp() & PAGE - 1);
        for (; copied < count; copied++) {
            stack[copied] = ring.word(at, WORDS + below + Long.BYTES * copied);
        }
        return stack;
    }

    /**
     * Returns the number of calls for which there was no room. It is a lower bound: between two drains, some 4,000 are
     * counted.
     */
    public long lost() {
        return lost;
    }

    @Override
    public void close() {
        program.close();
        if (sums != null) {
            sums.close();
        }
        ring.close();
    }
}
