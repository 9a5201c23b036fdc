package mayfly.linux.perf;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.OptionalInt;
import java.util.concurrent.locks.LockSupport;
import mayfly.linux.ProcessMemory;
import mayfly.linux.bpf.CallRing;
import mayfly.linux.proc.Maps;
import mayfly.linux.proc.ProcFile;
import mayfly.linux.proc.ProcStatus;
import mayfly.linux.sys.Errno;
import mayfly.linux.sys.ErrnoException;
import mayfly.linux.sys.Fd;
import mayfly.linux.sys.Open;
import mayfly.linux.sys.Pidfd;
import mayfly.linux.trace.Ptrace;
import mayfly.process.Mapping;

/**
 * The result of an operation that was tried and undone at once.
 *
 * @param works true if it succeeded
 * @param errno the name of the error if it failed, such as EACCES; else empty
 */
public record Probe(boolean works, String errno) {
    private static final Probe YES = new Probe(true, "");
    private static final Mapping NOWHERE = new Mapping(0, 0, false, false, false, 0, "", 0, "");

    /** Tries a CPU-clock event on a whole CPU. */
    public static Probe systemWide() {
        return perf(-1, PerfEventAttr.SW_CPU_CLOCK, 0, 0);
    }

    /** Tries a task-clock event on one thread, of user space only or including the kernel. */
    public static Probe perThread(int tid, boolean kernel) {
        return perf(tid, PerfEventAttr.SW_TASK_CLOCK, -1, kernel ? 0 : PerfEventAttr.EXCLUDE_KERNEL);
    }

    /**
     * Tries an event for a uprobe, at a place that cannot have one: the kernel checks the permission first, and no
     * instruction is changed. Tries also a program for its hits. The error is ENOENT if the kernel has no uprobes.
     */
    public static Probe uprobes() {
        OptionalInt type = Uprobe.type();
        if (type.isEmpty()) {
            return failed(Errno.ENOENT);
        }
        try (Arena arena = Arena.ofConfined();
                Fd directory = Open.directory("/");
                PerfEvent event = PerfEvent.open(
                        PerfEventAttr.of(
                                arena,
                                type.getAsInt(),
                                new Uprobe(directory, NOWHERE, 0),
                                PerfOptions.at(1),
                                PerfOptions.RING_BYTES,
                                0),
                        0,
                        -1)) {
            return event.number() >= 0 ? YES : failed(Errno.EBADF);
        } catch (ErrnoException e) {
            return e.errno() == Errno.EINVAL ? programs() : failed(e.errno());
        }
    }

    private static Probe programs() {
        try {
            CallRing.tryOut();
            return YES;
        } catch (ErrnoException e) {
            return failed(e.errno());
        }
    }

    private static Probe perf(int tid, int clock, int cpu, long flags) {
        try (Arena arena = Arena.ofConfined();
                PerfEvent event = PerfEvent.open(
                        new PerfEventAttr(arena, clock, PerfOptions.at(1), PerfOptions.RING_BYTES, flags), tid, cpu)) {
            return event.number() >= 0 ? YES : failed(Errno.EBADF);
        } catch (ErrnoException e) {
            return failed(e.errno());
        }
    }

    /** Tries to read one byte of a process's memory. The error is ESRCH if the process has ended or is ending. */
    public static Probe readMemory(int pid) {
        try (Pidfd process = Pidfd.open(pid)) {
            for (Mapping mapping : Maps.read("/proc/" + pid + "/maps", Long.MAX_VALUE)) {
                if (mapping.readable()) {
                    long result = new ProcessMemory(process).attempt(mapping.start(), 1);
                    return result < 0 ? failed((int) -result) : YES;
                }
            }
            return failed(Errno.ESRCH); // it has released its memory, because it is ending
        } catch (ErrnoException e) {
            return failed(e.errno());
        } catch (IOException e) {
            return failed(ProcFile.isGone(e) ? Errno.ESRCH : Errno.EACCES);
        }
    }

    /**
     * Tries to seize a thread with ptrace(2), which does not stop it. A temporary thread makes the call; the kernel
     * releases the tracee when that thread ends.
     *
     * @throws InterruptedException if the wait for that thread is interrupted
     */
    public static Probe trace(int tid) throws InterruptedException {
        try {
            // Mayfly stops a thread only if it can read the thread's blocked system call.
            Open.readOnly("/proc/" + tid + "/syscall").close();
        } catch (ErrnoException e) {
            return failed(e.errno() == Errno.ENOENT ? Errno.ESRCH : e.errno());
        }
        long[] result = new long[1];
        Thread tracer = new Thread(() -> result[0] = new Ptrace().seize(tid), "probe");
        tracer.start();
        tracer.join();
        if (result[0] < 0) {
            return failed((int) -result[0]);
        }
        // join() returns slightly before the OS thread has ended and the kernel has released the tracee.
        for (int i = 0; i < 10_000 && isTraced(tid); i++) {
            LockSupport.parkNanos(100_000);
        }
        return YES;
    }

    private static boolean isTraced(int tid) {
        try {
            return ProcStatus.parse(ProcFile.text("/proc/" + tid + "/status", 1 << 16))
                            .tracerPid()
                    != 0;
        } catch (IOException e) {
            return false;
        }
    }

    private static Probe failed(int errno) {
        return new Probe(false, Errno.name(errno));
    }
}
