package mayfly.client;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import mayfly.client.MayflyException.Reason;
import mayfly.client.process.Deadline;
import mayfly.client.process.LineReader;

/**
 * A profiler that was attached to a process. Each request to it runs one command, for the JVM to which it was attached.
 * {@link #close} detaches it.
 */
public final class Attachment implements AutoCloseable {
    /** The key of the message for a process that has ended, and therefore has no profiler. */
    private static final String GONE = "target-gone";

    private final Invocation attach;
    private final List<String> runtimes;
    private final long pid;
    /** The process of the attach, so that a later process with its id is not mistaken for it; empty if not visible. */
    private final Optional<ProcessHandle> process;

    /** @param runtimes the ids of the JVMs to which it was attached */
    Attachment(Invocation attach, List<String> runtimes) {
        this.attach = attach;
        this.runtimes = runtimes;
        pid = attach.pid().orElseThrow();
        process = ProcessHandle.of(pid);
    }

    /**
     * Returns an invocation of a command for the profiler in its JVM. Another JVM of the process may have a profiler,
     * too, and may have started after the attach.
     */
    private Invocation invocation(String command) {
        return attach.mayfly().invocation(command, pid).with("--runtime", String.join(",", runtimes));
    }

    /** Returns the id of the process. */
    public long pid() {
        return pid;
    }

    /** Returns the ids of the JVMs to which the profiler was attached, as in {@link JavaRuntime#id}: mostly one. */
    public List<String> runtimes() {
        return runtimes;
    }

    /**
     * Returns the profiler in one of several JVMs.
     *
     * @param runtime one of {@link #runtimes}
     * @throws IllegalArgumentException if it was not attached to that JVM
     */
    public Attachment in(String runtime) {
        if (!runtimes.contains(runtime)) {
            throw new IllegalArgumentException("attached to " + runtimes + " and not to " + runtime);
        }
        return new Attachment(attach, List.of(runtime));
    }

    /**
     * Sends a command to the profiler. If it was attached to several JVMs, {@link #in} chooses one.
     *
     * @param command defined by the profiler
     * @return its answer, read as UTF-8 and without a line feed at its end; empty if there is none
     * @throws MayflyException if there is no answer within 10 seconds, or the request failed
     * @throws InterruptedException if this thread is interrupted; the profiler may have received the command then
     * @throws IllegalArgumentException if a text cannot be passed on a command line: it contains a NUL, or a character
     *         that the encoding of this JVM lacks
     */
    public String send(String command) throws MayflyException, InterruptedException {
        return send(invocation("send"), command);
    }

    /**
     * Sends a command to the profiler, as {@link #send(String)} does, with another time limit for the answer.
     *
     * @throws IllegalArgumentException if the limit is not a positive whole number of milliseconds, or is more than
     *         10,000 days
     * @throws MayflyException if there is no answer within the limit, or the request failed
     * @throws InterruptedException as {@link #send(String)}
     */
    public String send(String command, Duration timeout) throws MayflyException, InterruptedException {
        return send(invocation("send").with("--timeout", timeout), command);
    }

    private static String send(Invocation invocation, String command) throws MayflyException, InterruptedException {
        String answer = new String(invocation.answer(command), StandardCharsets.UTF_8);
        return answer.endsWith("\n") ? answer.substring(0, answer.length() - 1) : answer;
    }

    /**
     * Returns the state of the profiler; empty if none is attached any more.
     *
     * @throws MayflyException if the state cannot be read
     * @throws InterruptedException if this thread is interrupted; the command is ended then
     */
    public Optional<ProfilerStatus> status() throws MayflyException, InterruptedException {
        return invocation("status")
                .with("--json")
                .object("", json -> json.flag("attached") ? Optional.of(Results.Status.of(json)) : Optional.empty());
    }

    /**
     * Follows the emissions of the profiler: first those that it has emitted without a follower, at most 1 MiB. The
     * command runs until the profiler is detached, or {@link Emissions#close} ends it. It gets no permission to inspect
     * the JVM that runs it; see docs/client.md.
     *
     * @throws MayflyException if the command cannot be started
     */
    public Emissions follow() throws MayflyException {
        return new Emissions(invocation("status").with("--follow").lines());
    }

    /**
     * Detaches the profiler, and waits until it is unloaded, for at most 10 seconds.
     *
     * @throws MayflyException if it is not unloaded yet ({@link Reason#TIMEOUT}; the detach continues), or failed
     * @throws InterruptedException if this thread is interrupted; the detach may continue then
     */
    public void detach() throws MayflyException, InterruptedException {
        detaching().run();
    }

    /** Describes a detach with options. */
    public DetachRequest detaching() {
        return new DetachRequest(invocation("detach").with("--quiet"));
    }

    /**
     * Detaches the profiler, as {@link #detach} does, unless it is not attached any more. An interrupt before this call
     * is deferred: the profiler is detached first. If the thread is interrupted during this call, it remains
     * interrupted, and the call fails; the detach may continue.
     *
     * @throws MayflyException if the profiler is not unloaded within 10 seconds ({@link Reason#TIMEOUT}; the detach
     *         continues), if the detach failed, or if the thread was interrupted ({@link Reason#ENDED_BY_SIGNAL})
     */
    @Override
    public void close() throws MayflyException {
        boolean isInterrupted = Thread.interrupted();
        try {
            detachIfAttached();
        } catch (InterruptedException e) {
            isInterrupted = true;
            throw MayflyException.of(
                    Reason.ENDED_BY_SIGNAL,
                    "the thread was interrupted while the profiler in process " + pid + " was detached",
                    "",
                    "",
                    e);
        } finally {
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void detachIfAttached() throws MayflyException, InterruptedException {
        if (process.isPresent() && !process.get().isAlive()) {
            return;
        }
        try {
            detach();
        } catch (MayflyException e) {
            boolean isGone = e.reason() == Reason.NO_PROFILER
                    || e.reason() == Reason.TARGET_NOT_FOUND
                    || e.key().equals(GONE);
            if (!isGone) {
                throw e;
            }
        }
    }

    /**
     * The emissions of a profiler, one line each; one that has line feeds is several lines. Only {@link #next} reads
     * them: if it is not called, the host drops emissions when its buffer is full. Not for several threads at once.
     */
    public static final class Emissions implements AutoCloseable {
        private final LineReader lines;

        private Emissions(LineReader lines) {
            this.lines = lines;
        }

        /**
         * Waits for the next line.
         *
         * @param limit how long to wait; zero or less for no wait
         * @return the line: untrusted text, read as UTF-8; empty if there was none in this time, or if
         *         {@link #hasEnded}
         * @throws MayflyException if the command failed, because the profiler is not attached or for another reason
         * @throws InterruptedException if this thread is interrupted; the command continues
         */
        public Optional<String> next(Duration limit) throws MayflyException, InterruptedException {
            Optional<String> line;
            try {
                line = lines.next(Deadline.in(Optional.of(limit)));
            } catch (IOException e) {
                throw Invocation.notRun(e);
            }
            int code = lines.exitCode().orElse(0);
            if (line.isEmpty() && code != 0) {
                throw MayflyException.ofCommand(code, lines.err(), "");
            }
            return line;
        }

        /** Returns true if {@link #next} has found that the profiler or its process has ended, after the last line. */
        public boolean hasEnded() {
            return lines.exitCode().isPresent();
        }

        /**
         * Returns what the command has printed on standard error, or the last 64 KiB of it: the state of the profiler
         * at the beginning, and the numbers of emissions that were dropped.
         */
        public String stderr() {
            return lines.err();
        }

        /** Ends the command. The profiler remains attached. */
        @Override
        public void close() {
            try {
                lines.close();
            } catch (IOException e) {
                return; // the command has ended, and nothing more is read
            }
        }
    }
}
