package mayfly.api.testing;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import mayfly.client.AttachRequest;
import mayfly.client.Mayfly;
import mayfly.client.MayflyException;

/**
 * The JVM in which a profiler is tested. {@link TargetProgram#start} starts one; {@link #ofProcess} refers to one that
 * is running. For one thread at a time.
 */
public final class TargetJvm implements AutoCloseable {
    /** How long a program may take to end after SIGTERM. Then it is killed. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    /** How long to wait for the exit code of a program whose output has ended. */
    private static final Duration AFTER_OUTPUT = Duration.ofSeconds(2);

    private final long pid;
    private final Optional<Process> process;
    private final Optional<Output> output;
    private final String command;
    private final Mayfly mayfly;
    private final Duration limit;

    private TargetJvm(
            long pid,
            Optional<Process> process,
            Optional<Output> output,
            String command,
            Mayfly mayfly,
            Duration limit) {
        this.pid = pid;
        this.process = process;
        this.output = output;
        this.command = command;
        this.mayfly = mayfly.timeLimit(TimeLimit.ofCommand(limit));
        this.limit = limit;
    }

    static TargetJvm started(Process process, String command, Mayfly mayfly, Duration limit) {
        Output output = Output.of(process.getInputStream(), "output of process " + process.pid());
        return new TargetJvm(process.pid(), Optional.of(process), Optional.of(output), command, mayfly, limit);
    }

    /**
     * Returns a JVM that is running. {@link #close} does not end it, and its output is not available.
     *
     * @throws ProfilerTestException if Mayfly is not installed where {@link Mayfly#find} looks
     */
    public static TargetJvm ofProcess(long pid) {
        return ofProcess(pid, installed(), TimeLimit.DEFAULT);
    }

    /**
     * Returns a JVM that is running, as {@link #ofProcess(long)} does, for a certain installation of Mayfly.
     *
     * @param limit the limit for each wait of the test, as in {@link TargetProgram#timeLimit}
     * @throws IllegalArgumentException if the limit is less than a millisecond, or more than a day
     */
    public static TargetJvm ofProcess(long pid, Mayfly mayfly, Duration limit) {
        return new TargetJvm(pid, Optional.empty(), Optional.empty(), "", mayfly, TimeLimit.checked(limit));
    }

    static Mayfly installed() {
        try {
            return Mayfly.find();
        } catch (MayflyException e) {
            throw ProfilerTestException.of(e, "");
        }
    }

    /** Returns the id of the process. */
    public long pid() {
        return pid;
    }

    Mayfly mayfly() {
        return mayfly;
    }

    Duration limit() {
        return limit;
    }

    /** Returns true if the process has not ended. */
    public boolean isAlive() {
        return process.map(Process::isAlive)
                .orElseGet(
                        () -> ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false));
    }

    /** Returns true if this test has started the process, so that a JVM will be there even if there is none yet. */
    boolean isStartedByTest() {
        return process.isPresent();
    }

    /** Returns the last 500 lines that the program has printed on standard output and standard error. */
    public String output() {
        return output.map(Output::text).orElse("");
    }

    /**
     * Waits until the program has printed a line that contains a text. Lines that an earlier call has looked at do not
     * count.
     *
     * @return the line
     * @throws AssertionError if it was not printed within the time limit, or before the program ended
     * @throws ProfilerTestException if the thread is interrupted
     * @throws IllegalStateException if the process was not started by {@link TargetProgram#start}
     */
    public String awaitOutput(String text) {
        Output lines = output.orElseThrow(() -> new IllegalStateException(
                "the output of " + state() + " is not available, because the test has not started it"));
        Optional<String> line;
        try {
            line = lines.await(text, limit);
            if (line.isEmpty() && lines.hasEnded()) {
                // The pipe is closed a moment before the process has ended.
                process.orElseThrow().waitFor(AFTER_OUTPUT.toMillis(), TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
        return line.orElseThrow(() -> new AssertionError("the program did not print \"" + text + "\""
                + (lines.hasEnded() ? " before the end of its output" : " within " + limit) + "\n" + evidence()));
    }

    /**
     * Writes a line to the standard input of the program.
     *
     * @throws ProfilerTestException if the program has ended or closed its standard input
     * @throws IllegalStateException if the process was not started by {@link TargetProgram#start}
     */
    public void writeLine(String line) {
        Process program = process.orElseThrow(() -> new IllegalStateException(
                "the input of " + state() + " is not available, because the test has not started it"));
        try {
            program.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
            program.getOutputStream().flush();
        } catch (IOException e) {
            throw new ProfilerTestException("cannot write to the program: " + e.getMessage() + "\n" + evidence(), e);
        }
    }

    /**
     * Saves an audit of the process, then attaches a profiler to it, and follows its emissions.
     *
     * @param profiler a jar written against Mayfly's api
     * @return the profiler; {@link AttachedProfiler#close} detaches it
     * @throws ProfilerTestException if the profiler was not attached
     */
    public AttachedProfiler attach(Path profiler) {
        return attach(profiler, request -> request);
    }

    /**
     * Saves an audit of the process, then attaches a profiler to it, and follows its emissions.
     *
     * @param profiler a jar written against Mayfly's api
     * @param options sets the options of the attach, such as {@code request -> request.data("x").acceptLastingCost()}
     * @return the profiler; {@link AttachedProfiler#close} detaches it
     * @throws ProfilerTestException if the profiler was not attached
     */
    public AttachedProfiler attach(Path profiler, UnaryOperator<AttachRequest> options) {
        return AttachedProfiler.attach(this, profiler, options);
    }

    /** A step of a test. */
    @FunctionalInterface
    interface Step<T> {
        T run() throws MayflyException, InterruptedException;
    }

    /** Runs a step, and converts its failures. */
    <T> T step(Step<T> step) {
        try {
            return step.run();
        } catch (MayflyException e) {
            throw ProfilerTestException.of(e, evidence());
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private ProfilerTestException interrupted(InterruptedException cause) {
        Thread.currentThread().interrupt();
        return new ProfilerTestException("the thread of the test was interrupted\n" + evidence(), cause);
    }

    /** Returns the state of the process and its output, for a message. */
    String evidence() {
        return state()
                + (command.isEmpty() ? "" : ": " + command)
                + output.map(Output::text).map(text -> "\nits output:\n" + text).orElse("");
    }

    private String state() {
        if (isAlive()) {
            return "process " + pid + ", which is running";
        }
        return "process " + pid + ", which has ended"
                + process.map(ended -> " with exit code " + ended.exitValue()).orElse("");
    }

    /**
     * Ends the process if the test has started it: by SIGTERM, and after five seconds by SIGKILL. The processes that it
     * has started are then ended by SIGKILL. An interrupt of the thread is deferred.
     *
     * @throws ProfilerTestException if it has not ended within the time limit
     */
    @Override
    public void close() {
        process.ifPresent(this::end);
    }

    private void end(Process started) {
        List<ProcessHandle> descendants = started.descendants().toList();
        // Process.destroy would close the pipe, whose rest is read below.
        started.toHandle().destroy();
        boolean wasInterrupted = Thread.interrupted();
        try {
            if (!started.waitFor(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                started.toHandle().destroyForcibly();
            }
            descendants.forEach(ProcessHandle::destroyForcibly);
            if (!started.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new ProfilerTestException("the process does not end\n" + evidence(), null);
            }
            output.orElseThrow().awaitEnd(PATIENCE);
        } catch (InterruptedException e) {
            wasInterrupted = true;
            started.toHandle().destroyForcibly();
            descendants.forEach(ProcessHandle::destroyForcibly);
        } finally {
            removeSocket();
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** A JVM that was killed leaves the socket of its attach listener. A later JVM with its id could not replace it. */
    private void removeSocket() {
        try {
            Files.deleteIfExists(Path.of("/tmp/.java_pid" + pid));
        } catch (IOException e) {
            return; // it belongs to another user, who has had a process with this id
        }
    }
}
