package mayfly.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A command started as our child, with our standard streams, that waits just before its execve(2) until it is let go.
 *
 * <p>A shell reads from a pipe of ours and then becomes the command, so the process id stays the same. If we die first
 * the read ends and so does the shell: nothing is left waiting.
 */
public final class Spawn implements AutoCloseable {
    private static final String TRAMPOLINE =
            "gate=$1; shift; { read -r line < \"$gate\"; } 2>/dev/null || exit 125; unset gate line; exec \"$@\"";
    private static final int O_CLOEXEC = 0x8_0000;

    private final Process process;
    private final Fd readEnd;
    private final Fd writeEnd;

    private Spawn(Process process, Fd readEnd, Fd writeEnd) {
        this.process = process;
        this.readEnd = readEnd;
        this.writeEnd = writeEnd;
    }

    /** Starts a command, which waits. */
    public static Spawn start(List<String> command) throws IOException {
        if (command.isEmpty()) {
            throw new IllegalArgumentException("no command");
        }
        Fd[] pipe = pipe();
        List<String> line = new ArrayList<>(List.of("/bin/sh", "-c", TRAMPOLINE, "sh",
                "/proc/" + ProcessHandle.current().pid() + "/fd/" + pipe[0].number()));
        line.addAll(command);
        try {
            return new Spawn(new ProcessBuilder(line).inheritIO().start(), pipe[0], pipe[1]);
        } catch (IOException e) {
            pipe[0].close();
            pipe[1].close();
            throw e;
        }
    }

    /** pipe2(2). */
    private static Fd[] pipe() throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment fds = arena.allocate(8, 4);
            ErrnoException.check("pipe", Syscall.call(Syscall.PIPE2, fds.address(), O_CLOEXEC, 0));
            return new Fd[] {new Fd(fds.get(JAVA_INT, 0)), new Fd(fds.get(JAVA_INT, 4))};
        }
    }

    public int pid() {
        return (int) process.pid();
    }

    public Process process() {
        return process;
    }

    /** Lets it become the command. */
    public void resume() throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment newline = arena.allocateFrom("\n");
            ErrnoException.check("write", Syscall.call(Syscall.WRITE, writeEnd.number(), newline.address(), 1));
        }
    }

    /** Waits for its end: its exit status, or 128 and the number of the signal that ended it. */
    public int waitFor() throws InterruptedException {
        return process.waitFor();
    }

    /** The same with a time limit; false if it still runs then. */
    public boolean waitFor(long millis) throws InterruptedException {
        return process.waitFor(millis, TimeUnit.MILLISECONDS);
    }

    /** Closes the gate: ends a command that was never let go, and does nothing to one that was. */
    @Override
    public void close() {
        readEnd.close();
        writeEnd.close();
    }
}
