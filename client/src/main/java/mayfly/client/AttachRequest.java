package mayfly.client;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** An attach to be made. Options and their values are those of {@code mayfly attach}, see docs/cli.md. */
public final class AttachRequest {
    private final Invocation invocation;
    private final Path jar;
    private final Optional<String> profilerClass;

    AttachRequest(Invocation invocation, Path jar, Optional<String> profilerClass) {
        this.invocation = invocation;
        this.jar = jar;
        this.profilerClass = profilerClass;
    }

    private AttachRequest with(Invocation changed) {
        return new AttachRequest(changed, jar, profilerClass);
    }

    /** Sets the binary name of the profiler's class, instead of the one that the jar's manifest names. */
    public AttachRequest profilerClass(String name) {
        return new AttachRequest(invocation, jar, Optional.of(name));
    }

    /** Sets the data for the profiler's initialisation, as UTF-8; at most 1 MiB, and not with {@link #dataFile}. */
    public AttachRequest data(String text) {
        return with(invocation.with("--data", text));
    }

    /** Sets the file with the data for the profiler's initialisation, at most 1 MiB. */
    public AttachRequest dataFile(Path file) {
        return with(invocation.with("--data-file", file));
    }

    /**
     * Sets the time limit for the attach, until the profiler's initialisation has returned. Default: 10 seconds.
     *
     * @throws IllegalArgumentException if the time is not a positive whole number of milliseconds, or is more than
     *         10,000 days
     */
    public AttachRequest timeout(Duration time) {
        return with(invocation.with("--timeout", time));
    }

    /** Selects the JVM, if the process has several: r1, r2, ... as in {@link JavaRuntime#id}, or its version. */
    public AttachRequest runtime(String idOrVersion) {
        return with(invocation.with("--runtime", idOrVersion));
    }

    /**
     * Permits JVMTI if the profiler needs it, even if that slows virtual threads for the rest of the JVM's life (JDK 21
     * and later). Not needed for an event that only JVMTI has, where another user of JVMTI has slowed them
     * already.
     */
    public AttachRequest acceptLastingCost() {
        return with(invocation.with("--accept-lasting-cost"));
    }

    /**
     * Sets the profilers that are accepted, by the version of the api that they are built for: {@code same},
     * {@code older} or {@code any}. Default: {@code older}.
     */
    public AttachRequest api(String policy) {
        return with(invocation.with("--api", policy));
    }

    /** Attaches even if the JVM never unloads classes. The profiler's classes then remain after its detach. */
    public AttachRequest acceptRemainingClasses() {
        return with(invocation.with("--accept-remaining-classes"));
    }

    /**
     * Attaches the profiler. It remains attached until it is detached, even if this JVM ends.
     *
     * @return the attached profiler; {@link Attachment#close} detaches it
     * @throws MayflyException if the profiler was not attached, or, with
     *         {@link MayflyException.Reason#TIMEOUT}, may be attached later
     * @throws InterruptedException if this thread is interrupted; the profiler may be attached then
     * @throws IllegalArgumentException if the path of the jar contains '=' and no class was set, or a text cannot be
     *         passed on a command line: it contains a NUL, or a character that the encoding of this JVM lacks
     */
    public Attachment run() throws MayflyException, InterruptedException {
        String path = jar.toAbsolutePath().toString();
        if (profilerClass.isEmpty() && path.contains("=")) {
            throw new IllegalArgumentException("the path contains '=', so the class must be set too: " + path);
        }
        Invocation complete = invocation.with(
                "--profiler", path + profilerClass.map(name -> "=" + name).orElse(""));
        return new Attachment(complete, complete.object("", json -> json.texts("runtimes")));
    }
}
