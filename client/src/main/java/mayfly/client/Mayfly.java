package mayfly.client;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import mayfly.client.json.JsonObject;
import mayfly.client.process.Starter;

/**
 * An installation of Mayfly: the command {@code mayfly} of an unpacked archive or of a checkout. Most methods
 * return a request; its {@code run()} executes the command. {@link #ps} executes the command itself.
 */
public final class Mayfly {
    private final Path command;
    private final Optional<Duration> limit;
    private final Starter starter;

    private Mayfly(Path command, Optional<Duration> limit, Starter starter) {
        this.command = command;
        this.limit = limit;
        this.starter = starter;
    }

    /**
     * Finds the installation: in the folder that the system property {@code mayfly.home} names; if it is not set, in
     * that of the environment variable {@code MAYFLY_HOME}; if that is not set either, on {@code PATH}.
     *
     * @throws MayflyException if there is none; the message names the places
     */
    public static Mayfly find() throws MayflyException {
        return of(Installation.find(System.getProperties(), System.getenv()), Starter.PROGRAMS);
    }

    /**
     * Returns the installation in a folder.
     *
     * @param place the folder, or the command itself
     * @throws MayflyException if there is none
     */
    public static Mayfly at(Path place) throws MayflyException {
        return of(Installation.at(place.toString(), "the path is "), Starter.PROGRAMS);
    }

    static Mayfly of(Path command, Starter starter) {
        return new Mayfly(command, Optional.empty(), starter);
    }

    /**
     * Returns this installation with a limit for the time of each call, after which the command is ended and the call
     * fails. A recording takes longer than its duration, so its limit must be longer too. Without a limit, a call takes
     * as long as its command, which limits most of its steps itself.
     *
     * @param time more than zero
     * @throws IllegalArgumentException if the time is zero or negative
     */
    public Mayfly timeLimit(Duration time) {
        if (time.isNegative() || time.isZero()) {
            throw new IllegalArgumentException("a time limit must be more than zero: " + time);
        }
        return new Mayfly(command, Optional.of(time), starter);
    }

    /** Returns the path of the command. */
    public Path command() {
        return command;
    }

    Optional<Duration> limit() {
        return limit;
    }

    Starter starter() {
        return starter;
    }

    /** Describes a recording of a process, which may be this one. */
    public RecordRequest record(long pid) {
        return new RecordRequest(invocation("record", pid).with("--quiet").with("--json"));
    }

    /** Describes a dump of the stacks of a process, which may be this one. */
    public StackRequest stack(long pid) {
        return new StackRequest(invocation("stack", pid).with("--quiet").with("--json"));
    }

    /**
     * Describes the attach of a profiler to a process, which may be this one.
     *
     * @param profiler a jar written against Mayfly's api
     */
    public AttachRequest attach(long pid, Path profiler) {
        return new AttachRequest(invocation("attach", pid).with("--quiet").with("--json"), profiler, Optional.empty());
    }

    /** Describes a list of everything that a profiler could leave in a process, which may be this one. */
    public AuditRequest audit(long pid) {
        return new AuditRequest(invocation("audit", pid).with("--json"));
    }

    /**
     * Lists the Java runtimes on this machine.
     *
     * @throws MayflyException if they cannot be listed
     * @throws InterruptedException if this thread is interrupted; the command is ended then
     */
    public List<JavaRuntime> ps() throws MayflyException, InterruptedException {
        byte[] answer =
                Invocation.of(this, "ps", Optional.empty()).with("--json").answer();
        return Invocation.read(answer, line -> JsonObject.parseArray(line, Results.Runtime::of));
    }

    Invocation invocation(String name, long pid) {
        return Invocation.of(this, name, Optional.of(pid));
    }
}
