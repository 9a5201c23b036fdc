package mayfly.linux.perf;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import mayfly.linux.bpf.StackRing;
import mayfly.linux.sys.Syscall;
import mayfly.linux.sys.X86Abi;
import mayfly.process.Registers;
import org.jspecify.annotations.Nullable;

/**
 * PERF_RECORD_SAMPLE: where a thread was, its user registers and a copy of the top of its user stack. Reused for every
 * sample.
 */
public final class PerfSample implements StackRing.Sample {
    /** PERF_SAMPLE_REGS_ABI_64, see linux/perf_event.h. */
    public static final long ABI_64 = 2;
    /** PERF_CONTEXT_MAX: from here on a value in a call chain marks where the kernel part or the user part begins. */
    public static final long CONTEXT_MAX = -4095;
    private static final int LARGEST_CHAIN = 512;
    private static final int[] CALLEE_SAVED = X86Abi.savedByCallees();

    private final boolean hasChain;
    private final @Nullable StackRing stacks;
    private final Registers registers = new Registers(X86Abi.ARCHITECTURE);
    private final long[] chain = new long[LARGEST_CHAIN];
    private final long[] stack = new long[1 << 13];
    private long id;
    private long ip;
    private int pid;
    private int tid;
    private long time;
    private long streamId;
    private int cpu;
    private long period;
    private int chainLength;
    private boolean hasRegisters;
    private boolean inUserProcess;
    private int stackWords;
    /**
     * Where the words are, in the ring or in the copy of a record that wraps; and how many have been taken from there.
     */
    private long stackAt;
    private int stackCopied;
    private boolean stackFull;

    /** How far a record has been read. */
    private long at;
    private long end;

    PerfSample(boolean hasChain) {
        this(hasChain, null);
    }

    /** Samples whose larger stacks go on in a ring of their own. */
    public PerfSample(boolean hasChain, @Nullable StackRing stacks) {
        this.hasChain = hasChain;
        this.stacks = stacks;
    }

    /** Reads the fixed part; false if the record is too short for it. */
    public boolean readHead(long address, int size) {
        at = address + 8;
        end = address + size;
        if (size < 8 + 56) {
            return false;
        }
        id = word();
        ip = word();
        pid = Syscall.ALL.get(JAVA_INT, at);
        tid = Syscall.ALL.get(JAVA_INT, at + 4);
        at += 8;
        time = word();
        streamId = word();
        cpu = Syscall.ALL.get(JAVA_INT, at);
        at += 8;
        period = word();
        return true;
    }

    /** Reads the rest of the record whose head was read last; false if it contradicts itself. */
    public boolean readBody() {
        chainLength = 0;
        hasRegisters = false;
        stackWords = 0;
        stackCopied = 0;
        stackFull = false;
        return (!hasChain || readChain()) && readRegisters() && readStack();
    }

    private boolean readChain() {
        if (end - at < 8) {
            return false;
        }
        long count = word();
        if (count < 0 || count > end - at >> 3) {
            return false;
        }
        for (long i = 0; i < count; i++) {
            long address = word();
            if (Long.compareUnsigned(address, CONTEXT_MAX) < 0 && chainLength < LARGEST_CHAIN) {
                chain[chainLength++] = address;
            }
        }
        return true;
    }

    private boolean readRegisters() {
        if (end - at < 8) {
            return false;
        }
        registers.clear();
        long abi = word();
        inUserProcess = abi != 0;
        if (abi == 0) {
            return true;
        }
        if (end - at < 8L * X86Abi.perfRegisters()) {
            return false;
        }
        for (int i = 0; i < X86Abi.perfRegisters(); i++) {
            registers.set(X86Abi.perfRegister(i), word());
        }
        hasRegisters = abi == ABI_64;
        if (!hasRegisters) {
            registers.clear();
        } else if (lacksCalleeSaved()) {
            for (int register : CALLEE_SAVED) {
                registers.forget(register);
            }
        }
        return true;
    }

    private boolean lacksCalleeSaved() {
        for (int register : CALLEE_SAVED) {
            if (registers.get(register) != -1) {
                return false;
            }
        }
        return true;
    }

    private boolean readStack() {
        if (end - at < 8) {
            return false;
        }
        long room = word();
        if (room == 0) {
            return true;
        }
        if (room < 0 || (room & 7) != 0 || room > end - at - 8) {
            return false;
        }
        long copied = Syscall.ALL.get(JAVA_LONG, at + room);
        if (copied < 0 || copied > room) {
            return false;
        }
        if (hasRegisters) {
            stackWords = (int) Math.min(copied >> 3, stack.length);
            stackFull = copied == room;
            stackAt = at;
            stackCopied = 0;
        }
        return true;
    }

    private long word() {
        long value = Syscall.ALL.get(JAVA_LONG, at);
        at += 8;
        return value;
    }

    /** The event; that of the thread it was inherited from. */
    long id() {
        return id;
    }

    /** The very event, also when it was inherited. */
    public long streamId() {
        return streamId;
    }

    /** The process, in the namespace of whoever opened the event. */
    @Override
    public int pid() {
        return pid;
    }

    @Override
    public int tid() {
        return tid;
    }

    /** When, CLOCK_MONOTONIC in ns: comparable with {@link System#nanoTime()}. */
    @Override
    public long time() {
        return time;
    }

    @Override
    public int cpu() {
        return cpu;
    }

    /** The CPU time it stands for, ns. */
    public long period() {
        return period;
    }

    /** Where the CPU was, which may be in the kernel. */
    public long ip() {
        return ip;
    }

    /** Whether the CPU was in the kernel: kernel addresses have the top bit set. */
    public boolean inKernel() {
        return ip < 0;
    }

    /** Whether there is a 64-bit user context. */
    @Override
    public boolean hasRegisters() {
        return hasRegisters;
    }

    /** Whether the thread has an address space. One that is exiting has given it up and will not leave the kernel. */
    public boolean hasAddressSpace() {
        return inUserProcess;
    }

    /** The user registers; after a system call those at its entry. */
    @Override
    public Registers registers() {
        return registers;
    }

    /** Kernel addresses, innermost first; the first {@link #kernelChainLength()} count. */
    public long[] kernelChain() {
        return chain;
    }

    public int kernelChainLength() {
        return chainLength;
    }

    /** The address of the copied stack's first word: the stack pointer. */
    public long stackBase() {
        return registers.sp();
    }

    /** The copied stack, upward from its base; the first {@link #stackWords()} count. */
    public long[] stack() {
        return stack(stackWords);
    }

    /** The same, but only the first so many words are sure to be there: most walks need a small part. */
    public long[] stack(int words) {
        if (words > stackCopied) {
            MemorySegment.copy(Syscall.ALL, JAVA_LONG, stackAt + 8L * stackCopied, stack, stackCopied,
                    words - stackCopied);
            stackCopied = words;
        }
        return stack;
    }

    /** How many words the kernel copied: up to the end of the stack, the first absent page, or the wanted size. */
    public int stackWords() {
        return stackWords;
    }

    /** Whether the copy ended because it was as long as wanted, so that the stack probably goes on. */
    public boolean stackFull() {
        return stackFull;
    }

    /** Whether the word at an address above the copied stack, a multiple of 8, was saved at the same moment. */
    public boolean hasSaved(long address) {
        return stacks != null && stacks.has(address);
    }

    /** Returns true if the kernel did not save a part of the stack, because the ring was full. */
    public boolean stackLacksRoom() {
        return stacks != null && stacks.lacksRoom();
    }

    /** That word; only if it was saved. */
    public long saved(long address) {
        if (stacks == null) {
            throw new IllegalStateException("nothing was saved");
        }
        return stacks.word(address);
    }
}
