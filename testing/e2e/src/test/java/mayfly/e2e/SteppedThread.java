package mayfly.e2e;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.LockSupport;
import mayfly.arch.x86.X86_64;
import mayfly.linux.LiveProcess;
import mayfly.linux.abi.SystemCall;
import mayfly.linux.sys.Cpu;
import mayfly.linux.sys.ErrnoException;
import mayfly.linux.sys.Syscall;
import mayfly.linux.trace.Ptrace;
import mayfly.linux.trace.StackCopy;
import mayfly.linux.trace.StopClock;
import mayfly.linux.trace.ThreadSnapshot;
import mayfly.process.MemoryFault;
import mayfly.process.Registers;

/** Executes a thread of another process one instruction at a time, as a debugger does. Only tests step a target. */
public final class SteppedThread implements AutoCloseable {
    private static final int PTRACE_CONT = 7;
    private static final int PTRACE_SINGLESTEP = 9;
    private static final int PTRACE_POKEDATA = 5;
    private static final int SIGTRAP = 5;
    private static final int PTRACE_SETREGSET = 0x4205;
    /** The offset in user_regs_struct, see sys/user.h. */
    private static final int EFLAGS = 18 * 8;

    private static final int PUSHF = 0x9c;
    /** The bit of EFLAGS that traps after each instruction. */
    private static final long TRAP_FLAG = 1 << 8;

    private static final int MAX_STACK_BYTES = 1 << 17;
    /** A step takes some microseconds if the thread has a processor of its own. */
    private static final int SPINNING_LOOKS = 20;

    private static final long LIMIT_NANOS = 10_000_000_000L;

    private final LiveProcess target;
    private final int tid;
    private final Ptrace ptrace = new Ptrace();
    private final StackCopy stack;
    private final Registers registers = new Registers(X86_64.ARCHITECTURE);
    /** The signal that the thread was about to receive when it stopped. */
    private int signal;

    /** Stops the thread. The platform thread that calls this constructor does all of the tracing. */
    public SteppedThread(LiveProcess target, int tid) throws IOException {
        this.target = target;
        this.tid = tid;
        // A stepped thread is stopped for as long as the test needs, so the clock of its stop does not advance.
        this.stack = new StackCopy(target, new StopClock(() -> 0));
        ErrnoException.check("ptrace seize", ptrace.seize(tid));
        ErrnoException.check("ptrace interrupt", ptrace.interrupt(tid));
        awaitStop();
    }

    /**
     * Executes the next instruction, or the first instruction of a signal handler. Returns the signal in the latter
     * case, else 0.
     */
    public int step() throws IOException {
        int delivered = signal;
        boolean pushesFlags = delivered == 0 && isPushf();
        long lower = registers.sp() - 8;
        ErrnoException.check(
                "ptrace singlestep", Syscall.call(SystemCall.PTRACE, PTRACE_SINGLESTEP, tid, 0, delivered));
        awaitStop();
        if (pushesFlags) {
            clearPushedTrapFlag(lower);
        }
        return delivered;
    }

    /** Lets the thread run until it is about to receive a signal. The next step is the first one of the handler. */
    public int runUntilSignal() throws IOException {
        clearTrapFlag();
        try {
            do {
                ErrnoException.check("ptrace cont", Syscall.call(SystemCall.PTRACE, PTRACE_CONT, tid, 0, signal));
                awaitStop();
            } while (signal == 0);
            return signal;
        } catch (IOException e) {
            ptrace.interrupt(tid); // only a stopped thread can be detached
            awaitStop();
            throw e;
        }
    }

    /** Returns true if the next instruction is pushf, by which HotSpot's stubs save the flags. */
    private boolean isPushf() throws IOException {
        ErrnoException.check("ptrace getregset", ptrace.registers(tid, registers));
        try {
            return (target.memory().readByte(registers.pc()) & 0xff) == PUSHF;
        } catch (MemoryFault e) {
            return false; // the vsyscall page
        }
    }

    /**
     * The kernel steps by means of the trap flag, and pushf saves it. A later popf would set the flag for the thread
     * itself, which would end by SIGTRAP once it is no longer stepped.
     */
    private void clearPushedTrapFlag(long sp) throws IOException {
        ErrnoException.check("ptrace getregset", ptrace.registers(tid, registers));
        if (registers.sp() != sp) {
            return; // stopped by a signal before the instruction
        }
        try {
            long flags = target.memory().readLong(registers.sp());
            ErrnoException.check(
                    "ptrace pokedata",
                    Syscall.call(SystemCall.PTRACE, PTRACE_POKEDATA, tid, registers.sp(), flags & ~TRAP_FLAG));
        } catch (MemoryFault e) {
            throw new IOException(e);
        }
    }

    /**
     * After a popf the kernel takes the trap flag for the thread's own and would not clear it: see enable_single_step
     * in arch/x86/kernel/step.c.
     */
    private void clearTrapFlag() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment regs = arena.allocate(Cpu.ABI.userRegistersSize(), 8);
            MemorySegment vector = arena.allocate(16, 8);
            vector.set(JAVA_LONG, 0, regs.address());
            vector.set(JAVA_LONG, 8, Cpu.ABI.userRegistersSize());
            long got = Syscall.call(SystemCall.PTRACE, Ptrace.GETREGSET, tid, Ptrace.NT_PRSTATUS, vector.address());
            long flags = regs.get(JAVA_LONG, EFLAGS);
            if (got == 0 && (flags & TRAP_FLAG) != 0) {
                regs.set(JAVA_LONG, EFLAGS, flags & ~TRAP_FLAG);
                Syscall.call(SystemCall.PTRACE, PTRACE_SETREGSET, tid, Ptrace.NT_PRSTATUS, vector.address());
            }
        }
    }

    private void awaitStop() throws IOException {
        long deadline = System.nanoTime() + LIMIT_NANOS;
        long code = ptrace.stopped(tid);
        for (int looks = 1; code == 0 && System.nanoTime() - deadline < 0; looks++) {
            if (looks < SPINNING_LOOKS) {
                Thread.onSpinWait();
            } else {
                LockSupport.parkNanos(1); // about 60 µs, for which the thread may have this processor
            }
            code = ptrace.stopped(tid);
        }
        if (code != Ptrace.CLD_TRAPPED) {
            throw new IOException("thread " + tid + " of " + target.pid() + " did not stop: " + code);
        }
        int pending = ptrace.pendingSignal();
        signal = pending == SIGTRAP ? 0 : pending;
    }

    /** Copies the current registers and the top of the stack. */
    public void copy(ThreadSnapshot into) throws IOException {
        into.begin();
        ErrnoException.check("ptrace getregset", ptrace.registers(tid, into.registers()));
        stack.copy(MAX_STACK_BYTES, into);
        into.time(System.nanoTime(), 1);
        stack.bound(into);
    }

    @Override
    public void close() {
        clearTrapFlag();
        ptrace.detach(tid, signal);
    }
}
