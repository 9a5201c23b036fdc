package mayfly.api.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import mayfly.client.AttachRequest;
import mayfly.client.Attachment;
import mayfly.client.AuditComparison;
import mayfly.client.DetachRequest;
import mayfly.client.MayflyException;
import mayfly.client.ProfilerStatus;

/**
 * A profiler that a test has attached, with an audit of the process from the time before. For one thread at a time.
 *
 * @see TargetJvm#attach(Path)
 */
public final class AttachedProfiler implements AutoCloseable {
    /** The number of emitted lines that are kept. */
    static final int KEPT = 10_000;
    /** The keys of failures of a process that has no JVM yet. */
    private static final String STARTING = "jvm-starting";

    private static final String NO_JVM = "not-a-jvm";
    private static final Duration PAUSE = Duration.ofMillis(20);
    private static final Set<String> WITHOUT_DETACH = Set.of("initializing", "active");

    private final TargetJvm jvm;
    private final Path folder;
    private final Path before;
    private final Attachment attachment;
    private final Attachment.Emissions following;
    private final ArrayDeque<String> emitted = new ArrayDeque<>();
    /** The lines that {@link #awaitEmission} has not looked at. */
    private final ArrayDeque<String> unseen = new ArrayDeque<>();

    private AttachedProfiler(
            TargetJvm jvm, Path folder, Path before, Attachment attachment, Attachment.Emissions following) {
        this.jvm = jvm;
        this.folder = folder;
        this.before = before;
        this.attachment = attachment;
        this.following = following;
    }

    static AttachedProfiler attach(TargetJvm jvm, Path jar, UnaryOperator<AttachRequest> options) {
        Path folder = temporaryFolder();
        Path before = folder.resolve("before.audit");
        try {
            AttachRequest request =
                    options.apply(jvm.mayfly().attach(jvm.pid(), jar).timeout(jvm.limit()));
            Attachment attachment = jvm.step(() -> attached(jvm, request, before));
            return new AttachedProfiler(jvm, folder, before, attachment, jvm.step(() -> followed(attachment)));
        } catch (RuntimeException | Error e) {
            delete(folder, before);
            throw e;
        }
    }

    /** Saves an audit, and attaches the profiler; both again while the JVM is starting. */
    private static Attachment attached(TargetJvm jvm, AttachRequest request, Path before)
            throws MayflyException, InterruptedException {
        long end = System.nanoTime() + jvm.limit().toNanos();
        while (true) {
            try {
                jvm.mayfly().audit(jvm.pid()).save(before).run();
                return request.run();
            } catch (MayflyException e) {
                boolean isStarting = e.key().equals(STARTING) || e.key().equals(NO_JVM) && jvm.isStartedByTest();
                if (!isStarting || !jvm.isAlive() || System.nanoTime() - end >= 0) {
                    throw e;
                }
            }
            Thread.sleep(PAUSE.toMillis());
        }
    }

    private static Attachment.Emissions followed(Attachment attachment) throws MayflyException {
        try {
            return attachment.follow();
        } catch (MayflyException e) {
            try {
                attachment.close();
            } catch (MayflyException f) {
                e.addSuppressed(f);
            }
            throw e;
        }
    }

    /**
     * Sends a command to the profiler.
     *
     * @return its answer, read as UTF-8 and without a line feed at its end; empty if there is none
     * @throws ProfilerTestException if there is no answer within the time limit, or the profiler answers with a failure
     */
    public String send(String command) {
        return jvm.step(() -> attachment.send(command, jvm.limit()));
    }

    /**
     * Sends a command to the profiler until the answer contains a text. Events reach a profiler some time after they
     * have occurred, so its first answer may not contain them.
     *
     * @return the answer
     * @throws AssertionError if no answer within the time limit contains the text
     * @throws ProfilerTestException as {@link #send}
     */
    public String awaitAnswer(String command, String text) {
        long end = System.nanoTime() + jvm.limit().toNanos();
        while (true) {
            String answer = send(command);
            if (answer.contains(text)) {
                return answer;
            }
            if (System.nanoTime() - end >= 0) {
                throw new AssertionError("no answer to \"" + command + "\" contained \"" + text + "\" within "
                        + jvm.limit() + "; the last one:\n" + answer + "\n" + evidence());
            }
            jvm.step(() -> {
                Thread.sleep(PAUSE.toMillis());
                return answer;
            });
        }
    }

    /**
     * Waits until the profiler has emitted a line that contains a text. Lines that an earlier call of this method has
     * looked at do not count. An emission with line feeds is several lines.
     *
     * @return the line, read as UTF-8
     * @throws AssertionError if it was not emitted within the time limit, or before the profiler ended
     * @throws ProfilerTestException if the emissions cannot be read
     */
    public String awaitEmission(String text) {
        long end = System.nanoTime() + jvm.limit().toNanos();
        do {
            for (String line = unseen.poll(); line != null; line = unseen.poll()) {
                if (line.contains(text)) {
                    return line;
                }
            }
        } while (isEmissionRead(until(end)));
        throw new AssertionError("the profiler did not emit \"" + text + "\""
                + (following.hasEnded() ? " before it ended" : " within " + jvm.limit()) + "\n" + evidence());
    }

    private static Duration until(long end) {
        return Duration.ofNanos(end - System.nanoTime());
    }

    /** Reads the next emitted line. Returns false if there is none in this time, or if no line will follow. */
    private boolean isEmissionRead(Duration time) {
        Optional<String> line = jvm.step(() -> following.next(time));
        line.ifPresent(text -> {
            append(emitted, text);
            append(unseen, text);
        });
        return line.isPresent();
    }

    private static void append(ArrayDeque<String> lines, String line) {
        lines.add(line);
        if (lines.size() > KEPT) {
            lines.remove();
        }
    }

    /**
     * Returns the lines that the profiler has emitted up to now, or the last 10,000 of them. The host drops emissions,
     * and Mayfly reports their number, if nothing reads them while the profiler emits some MiB: only this method,
     * {@link #awaitEmission} and {@link #detach} read.
     *
     * @throws ProfilerTestException if the emissions cannot be read
     */
    public List<String> emissions() {
        while (isEmissionRead(Duration.ZERO)) {
            continue;
        }
        return List.copyOf(emitted);
    }

    /**
     * Returns the state of the profiler; empty if it is not attached any more.
     *
     * @throws ProfilerTestException if the state cannot be read
     */
    public Optional<ProfilerStatus> status() {
        return jvm.step(attachment::status);
    }

    /**
     * Detaches the profiler, and waits until it is unloaded. Full garbage collections are permitted, because they show
     * whether something retains the profiler.
     *
     * @throws ProfilerTestException if it is not unloaded within the time limit; the message names what retains it, if
     *         that is known
     */
    public void detach() {
        detach(request -> request);
    }

    /**
     * Detaches the profiler as {@link #detach()} does.
     *
     * @param options sets the options of the detach, such as {@code DetachRequest::force}
     * @throws ProfilerTestException if it is not unloaded within the time limit
     */
    public void detach(UnaryOperator<DetachRequest> options) {
        DetachRequest request = options.apply(attachment.detaching().collect().timeout(jvm.limit()));
        awaitFollower();
        jvm.step(() -> {
            request.run();
            return request;
        });
        readLastEmissions();
    }

    /**
     * Waits until the command that follows the emissions has printed the state of the profiler. If the profiler were
     * detached earlier, its emissions would be lost.
     */
    private void awaitFollower() {
        long end = System.nanoTime() + jvm.limit().toNanos();
        try {
            while (following.stderr().isEmpty() && !following.hasEnded() && System.nanoTime() - end < 0) {
                isEmissionRead(PAUSE);
            }
        } catch (ProfilerTestException e) {
            return; // a profiler can be detached without its follower; emissions() fails in the same way
        }
    }

    /** Reads until the command that follows the emissions ends, which it does with the profiler. */
    private void readLastEmissions() {
        long end = System.nanoTime() + jvm.limit().toNanos();
        try {
            while (!following.hasEnded() && System.nanoTime() - end < 0) {
                isEmissionRead(until(end));
            }
        } catch (ProfilerTestException e) {
            return; // the profiler is still detached; emissions() fails in the same way
        }
    }

    /**
     * Returns the changes of the process since the audit before the attach: what the profiler has left, what may remain
     * after any profiler, and what the program or the JVM may have changed. docs/formats/audit.md describes the items.
     *
     * @throws ProfilerTestException if the process cannot be read
     */
    public AuditComparison changes() {
        return jvm.step(() -> jvm.mayfly().audit(jvm.pid()).compare(before));
    }

    /**
     * Verifies that the profiler has left nothing in the process: no thread, file, mapping, socket, class, flag, hook
     * or other thing that an audit lists. Compares the process with the audit before the attach. Changes that the
     * program or the JVM may have made do not count; {@link #changes} returns them.
     *
     * @throws AssertionError if something is left, or a kind of things could not be read; the message lists them
     * @throws ProfilerTestException if the process cannot be read
     */
    public void assertNothingLeft() {
        AuditComparison changes = changes();
        if (changes.leftovers().isEmpty() && changes.uncompared().isEmpty()) {
            return;
        }
        String items = Stream.concat(
                        changes.leftovers().stream()
                                .map(item -> "  " + item.kind() + ": " + item.text() + ", " + item.before()
                                        + " before and " + item.after() + " now: " + item.reason()),
                        changes.uncompared().stream()
                                .map(kind -> "  " + kind.kind() + ": could not be compared: " + kind.reason()))
                .collect(Collectors.joining("\n"));
        String attached = status().map(status -> "the profiler is " + status.state()
                        + (WITHOUT_DETACH.contains(status.state()) ? ": detach it first" : "") + "\n")
                .orElse("");
        throw new AssertionError(
                "the process differs from the audit before the attach:\n" + items + "\n" + attached + evidence());
    }

    private String evidence() {
        String lines = String.join("\n", emitted);
        String said = following.stderr().strip();
        return jvm.evidence() + "\nemissions of the profiler:" + (lines.isEmpty() ? " none" : "\n" + lines)
                + (said.isEmpty() ? "" : "\nmayfly, which follows them: " + said);
    }

    /**
     * Detaches the profiler if it is attached, unless a detach has begun or its process has ended.
     *
     * @throws ProfilerTestException if the profiler is not unloaded within the time limit
     */
    @Override
    public void close() {
        // Detach even if the test was interrupted: the profiler must not remain in the JVM.
        boolean isInterrupted = Thread.interrupted();
        try {
            boolean isAttached = jvm.isAlive()
                    && status().filter(status -> WITHOUT_DETACH.contains(status.state()))
                            .isPresent();
            if (isAttached) {
                detach();
            }
        } catch (ProfilerTestException e) {
            if (jvm.isAlive()) {
                throw e;
            }
        } finally {
            following.close();
            delete(folder, before);
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static Path temporaryFolder() {
        try {
            return Files.createTempDirectory("mayfly-test-");
        } catch (IOException e) {
            throw new ProfilerTestException("no temporary folder can be created: " + e.getMessage(), e);
        }
    }

    private static void delete(Path folder, Path file) {
        try {
            Files.deleteIfExists(file);
            Files.deleteIfExists(folder);
        } catch (IOException e) {
            return; // a file in the folder for temporary files
        }
    }
}
