package mayfly.linux.trace;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import mayfly.linux.HeldAddressSpace;
import mayfly.linux.LiveProcess;
import mayfly.linux.abi.SystemCall;
import mayfly.linux.proc.Permissions;
import mayfly.linux.proc.Permissions.Capability;
import mayfly.linux.sys.ErrnoException;
import mayfly.linux.sys.Fd;
import mayfly.linux.sys.Open;
import mayfly.linux.sys.Owned;
import mayfly.linux.sys.Pidfd;
import mayfly.linux.sys.Syscall;

/**
 * A command started as a child process, with the standard streams of this process, that waits just before its
 * execve(2) until it is resumed.
 *
 * <p>A gate, which is a shell or another small program, reads from a pipe and then becomes the command, so the process
 * id stays the same. If this process dies first, the read ends and the gate exits.
 *
 * <p>The child is not a {@link Process}: Java would wait for it in a separate thread, which mistakes the stops of a
 * traced child for its end.
 */
public final class Spawn implements AutoCloseable {
    /** The gate for machines that have a shell. */
    public static final List<String> SHELL_GATE = List.of(
            "/bin/sh",
            "-c",
            "gate=$1; shift; { read -r line < \"$gate\"; } 2>/dev/null || exit 125; unset gate line; exec \"$@\"",
            "sh");

    private static final int SIGKILL = 9;
    private static final int CLD_EXITED = 1;
    /** sizeof(posix_spawnattr_t) and sizeof(sigset_t), see spawn.h and signal.h. */
    private static final int ATTRIBUTES_SIZE = 336;

    private static final int SIGNALS_SIZE = 128;
    private static final short POSIX_SPAWN_SETSIGMASK = 8;
    private static final int CLOSE_RANGE_CLOEXEC = 4;
    private static final int FIRST_OTHER = 3;
    /** Interval at which the waiting thread checks for an interrupt. */
    private static final int WAIT_MILLIS = 100;

    private final int pid;
    private final Pidfd pidfd;
    private final Fd readEnd;
    private final Fd writeEnd;
    private int status = -1;

    private Spawn(int pid, Pidfd pidfd, Fd readEnd, Fd writeEnd) {
        this.pid = pid;
        this.pidfd = pidfd;
        this.readEnd = readEnd;
        this.writeEnd = writeEnd;
    }

    /**
     * Starts a command with the {@link #SHELL_GATE} in the environment of this process.
     *
     * @throws IOException if it cannot be started
     */
    public static Spawn start(List<String> command) throws IOException {
        return start(SHELL_GATE, command, Map.of());
    }

    /**
     * Starts a command, which waits before its execve(2).
     *
     * @param gate a program with its first arguments; the path of a pipe and the command follow. It reads a line from
     *     the pipe and then becomes the command by a single execve(2)
     * @param environment variables in addition to those of this process, or with other values
     * @throws IOException if it cannot be started
     * @throws IllegalArgumentException if the command is empty
     */
    public static Spawn start(List<String> gate, List<String> command, Map<String, String> environment)
            throws IOException {
        if (command.isEmpty()) {
            throw new IllegalArgumentException("no command");
        }
        Fd[] pipe = pipe();
        List<String> line = new ArrayList<>(gate);
        line.add("/proc/" + ProcessHandle.current().pid() + "/fd/" + pipe[0].number());
        line.addAll(command);
        try (Owned owned = new Owned()) {
            owned.add(pipe[1]);
            owned.add(pipe[0]);
            // The descriptors that this process opens are close-on-exec. This call sets the same flag on inherited
            // ones.
            Syscall.call(SystemCall.CLOSE_RANGE, FIRST_OTHER, 0xffff_ffffL, CLOSE_RANGE_CLOEXEC);
            int pid = spawn(line, environment);
            return owned.release(new Spawn(pid, Pidfd.open(pid), pipe[0], pipe[1]));
        }
    }

    /** Calls posix_spawn(3) with no signals blocked: the JVM blocks some in its threads. */
    private static int spawn(List<String> line, Map<String, String> environment) throws IOException {
        Linker linker = Linker.nativeLinker();
        MethodHandle spawn = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("posix_spawn"),
                FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS));
        MethodHandle setMask = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("posix_spawnattr_setsigmask"),
                FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS));
        MethodHandle setFlags = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("posix_spawnattr_setflags"),
                FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_SHORT));
        MemorySegment ours = linker.defaultLookup()
                .findOrThrow("environ")
                .reinterpret(ADDRESS.byteSize())
                .get(ADDRESS, 0);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment arguments = arena.allocate(ADDRESS, line.size() + 1L);
            for (int i = 0; i < line.size(); i++) {
                arguments.setAtIndex(ADDRESS, i, arena.allocateFrom(line.get(i)));
            }
            MemorySegment attributes = arena.allocate(ATTRIBUTES_SIZE, 8); // zeros, as from posix_spawnattr_init
            MemorySegment pid = arena.allocate(JAVA_INT);
            MemorySegment signals = arena.allocate(SIGNALS_SIZE, 8);
            int error = (int) setMask.invokeExact(attributes, signals);
            error = error != 0 ? error : (int) setFlags.invokeExact(attributes, POSIX_SPAWN_SETSIGMASK);
            error = error != 0
                    ? error
                    : (int) spawn.invokeExact(
                            pid,
                            arena.allocateFrom(line.getFirst()),
                            MemorySegment.NULL,
                            attributes,
                            arguments,
                            SpawnEnvironment.of(ours, environment, arena));
            if (error != 0) {
                throw new ErrnoException("posix_spawn of " + line.getFirst(), error);
            }
            return pid.get(JAVA_INT, 0);
        } catch (IOException e) {
            throw e;
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /** pipe2(2). */
    private static Fd[] pipe() throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment fds = arena.allocate(8, 4);
            ErrnoException.check("pipe", Syscall.call(SystemCall.PIPE2, fds.address(), Open.O_CLOEXEC, 0));
            return new Fd[] {new Fd(fds.get(JAVA_INT, 0)), new Fd(fds.get(JAVA_INT, 4))};
        }
    }

    public int pid() {
        return pid;
    }

    /**
     * Lets the child become the command.
     *
     * @throws IOException if the child has ended
     */
    public void resume() throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment newline = arena.allocateFrom("\n");
            ErrnoException.check("write", Syscall.call(SystemCall.WRITE, writeEnd.number(), newline.address(), 1));
        }
    }

    /**
     * Lets the child become the command, and holds its address space before the first instruction, so that the memory
     * can be read after the process has ended.
     *
     * @param process this child
     * @param then called at that moment, before the command runs
     * @return false if nothing was done because holding is not permitted, or because a set-uid command would not get
     *         its rights in a traced execve
     * @throws IOException if the child has ended
     */
    public boolean resumeHeld(LiveProcess process, Runnable then) throws IOException {
        ExecStop stop = keepsRights() && HeldAddressSpace.isPermitted() ? ExecStop.prepare(pid) : null;
        if (stop == null) {
            return false;
        }
        boolean done = false;
        try {
            resume();
            done = stop.await(() -> {
                process.hold();
                then.run();
            });
        } finally {
            if (!done) {
                then.run();
            }
        }
        return true;
    }

    /** Returns true if an execve of a traced child keeps its rights: the tracer has CAP_SYS_PTRACE, see execve(2). */
    private static boolean keepsRights() {
        try {
            return Permissions.read().has(Capability.SYS_PTRACE);
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Waits for the end of the child. Returns its exit status, or 128 plus the number of the signal that ended it.
     *
     * @throws InterruptedException if the wait is interrupted
     */
    public int waitFor() throws InterruptedException {
        while (!waitFor(WAIT_MILLIS)) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        }
        return status;
    }

    /** Waits for the end of the child with a time limit; returns false if the child still runs. */
    public synchronized boolean waitFor(long millis) {
        if (status < 0 && pidfd.awaitExit((int) Math.min(millis, Integer.MAX_VALUE))) {
            status = reap();
        }
        return status >= 0;
    }

    private int reap() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment info = arena.allocate(Ptrace.SIGINFO_SIZE, 8);
            Syscall.call(SystemCall.WAITID, Ptrace.P_PID, pid, info.address(), Ptrace.WEXITED | Ptrace.WNOHANG, 0, 0);
            int value = info.get(JAVA_INT, Ptrace.SI_STATUS);
            return info.get(JAVA_INT, Ptrace.SI_CODE) == CLD_EXITED ? value & 0xff : 128 + (value & 0x7f);
        }
    }

    /** Kills the child if it still runs, and waits for its end. */
    public synchronized void kill() {
        if (status < 0) {
            try {
                pidfd.signal(SIGKILL);
            } catch (ErrnoException e) {
                return; // the child runs as another user now; it is left running
            }
            waitFor(Integer.MAX_VALUE);
        }
    }

    /** Closes the pipe: ends a command that was never resumed, and has no effect on one that was. */
    @Override
    public void close() {
        readEnd.close();
        writeEnd.close();
    }
}
