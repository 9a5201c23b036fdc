package mayfly.client.process;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A child process whose output is collected, within bounds. The thread that waits for the child also reads its pipes,
 * and only as many bytes as are there. A separate reading thread could not be ended: it would be blocked for as long
 * as any descendant of the child holds the inherited pipe open.
 */
public final class Child {
    /** The largest answer that is read, in bytes. */
    public static final int MAX_OUT = 64 << 20;
    /** The part of standard error that is kept, in bytes: its end, because the last lines state the failure. */
    static final int MAX_ERR = 64 << 10;

    private static final int CHUNK = 64 << 10;
    /** Pauses between two looks at the pipes. waitFor returns at once when the child ends, whatever the pause. */
    static final long MIN_PAUSE = TimeUnit.MILLISECONDS.toNanos(1);

    private static final long MAX_PAUSE = TimeUnit.MILLISECONDS.toNanos(50);
    /**
     * How long the child may take to end after each SIGTERM. After the first one, a recording writes its profile; the
     * second one cancels that. Then the child is killed.
     */
    static final List<Duration> PATIENCE = List.of(Duration.ofSeconds(10), Duration.ofSeconds(2));

    private static final Duration AFTER_KILL = Duration.ofSeconds(2);

    /** The result of one look at a child. */
    enum Look {
        /** There was output, which has been read. */
        READ,
        /** There was no output. */
        QUIET,
        /** The child has ended, and all its output has been read. */
        ENDED
    }

    private final Process process;
    private final List<Duration> patience;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private byte[] err = {};

    private Child(Process process, List<Duration> patience) {
        this.process = process;
        this.patience = patience;
    }

    /**
     * Runs a program until it ends. If this thread is interrupted, or the deadline passes, the child is ended as by
     * Ctrl-C.
     *
     * @throws IOException if the program cannot be started
     * @throws InterruptedException if this thread is interrupted, after the child has ended
     */
    public static Ended run(Starter starter, List<String> command, Deadline deadline)
            throws IOException, InterruptedException {
        return run(starter, command, deadline, PATIENCE);
    }

    static Ended run(Starter starter, List<String> command, Deadline deadline, List<Duration> patience)
            throws IOException, InterruptedException {
        var child = new Child(starter.start(command), patience);
        child.send("");
        return child.await(deadline);
    }

    /** Starts a program that waits for a text on its standard input. */
    static Child start(Starter starter, List<String> command) throws IOException {
        return new Child(starter.start(command), PATIENCE);
    }

    long pid() {
        return process.pid();
    }

    /** Sends a text to the child's standard input, and closes it. */
    void send(String text) {
        try (OutputStream in = process.getOutputStream()) {
            in.write(text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            return; // the child has ended: its exit code and its messages say why
        }
    }

    /** Waits until the child has ended, or ends it. */
    Ended await(Deadline deadline) throws IOException, InterruptedException {
        try {
            Ended.How how = collect(deadline);
            end();
            int code = how == Ended.How.EXITED ? process.exitValue() : Ended.NO_CODE;
            return new Ended(how, code, out.toByteArray(), err(), Optional.empty());
        } finally {
            close();
        }
    }

    /** Ends the child, and closes its pipes. */
    void close() throws IOException {
        end();
        process.getInputStream().close();
        process.getErrorStream().close();
    }

    /** Returns the end of its standard error so far. */
    String err() {
        return new String(err, StandardCharsets.UTF_8);
    }

    /** Returns its standard output since the last call. */
    byte[] takeOut() {
        byte[] taken = out.toByteArray();
        out.reset();
        return taken;
    }

    /** Returns the exit code of a child that has ended. */
    int exitCode() {
        return process.exitValue();
    }

    private Ended.How collect(Deadline deadline) throws IOException, InterruptedException {
        long pause = MIN_PAUSE;
        while (true) {
            Look look = look(Math.min(pause, deadline.remainingNanos()));
            if (out.size() > MAX_OUT) {
                return Ended.How.TOO_LARGE;
            }
            if (look == Look.ENDED) {
                return Ended.How.EXITED;
            }
            if (deadline.hasPassed()) {
                return Ended.How.TIME_LIMIT;
            }
            pause = pauseAfter(look, pause);
        }
    }

    /** Pauses, unless the child has ended, and reads what is in its pipes then. */
    Look look(long pauseNanos) throws IOException, InterruptedException {
        boolean isOver = process.waitFor(pauseNanos, TimeUnit.NANOSECONDS);
        if (read()) {
            return Look.READ;
        }
        return isOver ? Look.ENDED : Look.QUIET;
    }

    /** Returns the pause before the next look, in nanoseconds. */
    static long pauseAfter(Look look, long pauseNanos) {
        return look == Look.READ ? MIN_PAUSE : Math.min(2 * pauseNanos, MAX_PAUSE);
    }

    /** Reads what is in the pipes. Returns false if they were empty. */
    private boolean read() throws IOException {
        byte[] result = available(process.getInputStream());
        out.writeBytes(result);
        byte[] messages = available(process.getErrorStream());
        if (messages.length > 0) {
            byte[] all = Arrays.copyOf(err, err.length + messages.length);
            System.arraycopy(messages, 0, all, err.length, messages.length);
            err = Arrays.copyOfRange(all, Math.max(0, all.length - MAX_ERR), all.length);
        }
        return result.length + messages.length > 0;
    }

    private static byte[] available(InputStream pipe) throws IOException {
        return pipe.readNBytes(Math.min(pipe.available(), CHUNK));
    }

    /**
     * Ends the child if it is alive: as by Ctrl-C, and by force if that does not help. Its descendants are not killed:
     * one of them may be a shell that removes the files of an attach.
     */
    private void end() {
        boolean wasInterrupted = Thread.interrupted();
        for (Duration each : patience) {
            if (!process.isAlive()) {
                break;
            }
            process.toHandle().destroy(); // Process.destroy would close the pipes, and so lose the messages
            wasInterrupted |= isInterruptedBeforeEnd(each);
        }
        if (process.isAlive()) {
            process.destroyForcibly();
            wasInterrupted |= isInterruptedBeforeEnd(AFTER_KILL);
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits for the end of the child, and reads its pipes meanwhile, so that it is not blocked by a full one. */
    private boolean isInterruptedBeforeEnd(Duration limit) {
        Deadline deadline = Deadline.in(Optional.of(limit));
        try {
            while (!process.waitFor(MAX_PAUSE, TimeUnit.NANOSECONDS) && !deadline.hasPassed()) {
                discard();
            }
            return false;
        } catch (InterruptedException e) {
            return true;
        }
    }

    private void discard() {
        try {
            available(process.getInputStream());
            available(process.getErrorStream());
        } catch (IOException e) {
            return; // a pipe that is closed cannot block the child
        }
    }
}
