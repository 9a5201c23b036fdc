package mayfly.linux.perf;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.util.stream.IntStream;
import mayfly.arch.Architecture;
import mayfly.linux.bpf.StackRing;
import mayfly.linux.sys.Cpu;
import mayfly.linux.sys.Syscall;
import mayfly.process.Registers;
import org.jspecify.annotations.Nullable;

/**
 * PERF_RECORD_SAMPLE: the location of a thread, its user registers and a copy of the top of its user stack. Reused for
 * every sample.
 */
public final class PerfSample implements StackRing.Sample {
    /** PERF_SAMPLE_REGS_ABI_64, see linux/perf_event.h. */
    public static final long ABI_64 = 2;
    /** PERF_CONTEXT_MAX: values from here on in a call chain mark the beginning of the kernel part or the user part. */
    public static final long CONTEXT_MAX = -4095;

    private static final int MAX_CHAIN = 512;
    /** The registers in a sample, by their DWARF numbers. */
    private static final int[] SAMPLED = Cpu.ABI.sampled();
    /**
     * The registers that a sample may lack within a system call, because the kernel need not save them at the call.
     * Linux before 5.10 reports them as -1.
     */
    private static final int[] CALLEE_SAVED = savedByCallees(Cpu.ABI.architecture());

    private final boolean hasChain;
    private final @Nullable StackRing stacks;
    private final Registers registers = new Registers(Cpu.ABI.architecture());
    private final long[] chain = new long[MAX_CHAIN];
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
     * The address of the stack words, in the ring or in the copy of a record that wraps; and the number of words taken
     * from it.
     */
    private long stackAt;

    private int stackCopied;
    private boolean stackFull;

    /** The read position in the record. */
    private long at;

    private long end;

    PerfSample(boolean hasChain) {
        this(hasChain, null);
    }

    /**
     * Creates a sample.
     *
     * @param stacks the ring with the rest of larger stacks; null if there is none
     */
    public PerfSample(boolean hasChain, @Nullable StackRing stacks) {
        this.hasChain = hasChain;
        this.stacks = stacks;
    }

    /** Reads the fixed part; returns false if the record is too short for it. */
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

    /** Reads the rest of the record whose head was read last; returns false if it is inconsistent. */
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
            if (Long.compareUnsigned(address, CONTEXT_MAX) < 0 && chainLength < MAX_CHAIN) {
                chain[chainLength++] = address;
            }
        }
        return true;
    }

    private static int[] savedByCallees(Architecture cpu) {
        long saved = cpu.calleeSaved() & ~cpu.positionRegisters();
        return IntStream.of(SAMPLED)
                .filter(register -> (saved >>> register & 1) != 0)
                .toArray();
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
        if (end - at < 8L * SAMPLED.length) {
            return false;
        }
        for (int i = 0; i < SAMPLED.length; i++) {
            registers.set(SAMPLED[i], word());
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

    /** Returns the id of the event; for an inherited event, that of the original. */
    long id() {
        return id;
    }

    /** Returns the id of the event itself, even if it was inherited. */
    public long streamId() {
        return streamId;
    }

    /** Returns the process id, in the pid namespace of the process that opened the event. */
    @Override
    public int pid() {
        return pid;
    }

    @Override
    public int tid() {
        return tid;
    }

    /** Returns the time, CLOCK_MONOTONIC in ns, comparable with {@link System#nanoTime()}. */
    @Override
    public long time() {
        return time;
    }

    @Override
    public int cpu() {
        return cpu;
    }

    /** Returns the CPU time that the sample represents, ns. */
    public long period() {
        return period;
    }

    /** Returns the program counter, which may be in the kernel. */
    public long ip() {
        return ip;
    }

    /** Returns true if the CPU was in the kernel: kernel addresses have the top bit set. */
    public boolean inKernel() {
        return ip < 0;
    }

    /** Returns true if there is a 64-bit user context. */
    @Override
    public boolean hasRegisters() {
        return hasRegisters;
    }

    /**
     * Returns true if the thread has an address space. A thread that is exiting has released it and will not leave the
     * kernel.
     */
    public boolean hasAddressSpace() {
        return inUserProcess;
    }

    /** Returns the user registers; in a system call, those at its entry. */
    @Override
    public Registers registers() {
        return registers;
    }

    /** Returns the kernel addresses, innermost first; the first {@link #kernelChainLength()} are valid. */
    public long[] kernelChain() {
        return chain;
    }

    /** Returns the number of kernel addresses. */
    public int kernelChainLength() {
        return chainLength;
    }

    /** Returns the address of the first copied word: the stack pointer. */
    public long stackBase() {
        return registers.sp();
    }

    /** Returns the copied stack, upward from its base; the first {@link #stackWords()} are valid. */
    public long[] stack() {
        return stack(stackWords);
    }

    /**
     * Returns the copied stack. Only its first {@code words} are guaranteed to be loaded, because most walks need a
     * small part.
     */
    public long[] stack(int words) {
        if (words > stackCopied) {
            MemorySegment.copy(
                    Syscall.ALL, JAVA_LONG, stackAt + 8L * stackCopied, stack, stackCopied, words - stackCopied);
            stackCopied = words;
        }
        return stack;
    }

    /** Returns the number of copied words: up to the end of the stack, the first absent page, or the requested size. */
    public int stackWords() {
        return stackWords;
    }

    /** Returns true if the copy has the requested size, so the stack probably continues. */
    public boolean stackFull() {
        return stackFull;
    }

    /** Returns true if the word at an address above the copied stack, a multiple of 8, was saved at the same moment. */
    public boolean hasSaved(long address) {
        return stacks != null && stacks.has(address);
    }

    /** Returns true if the kernel did not save a part of the stack, because the ring was full. */
    public boolean stackLacksRoom() {
        return stacks != null && stacks.lacksRoom();
    }

    /**
     * Returns the saved word at an address for which {@link #hasSaved} is true.
     *
     * @throws IllegalStateException if nothing was saved
     */
    public long saved(long address) {
        if (stacks == null) {
            throw new IllegalStateException("nothing was saved");
        }
        return stacks.word(address);
    }
}
