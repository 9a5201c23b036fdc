package mayfly.e2e;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.client.Acceptance;
import mayfly.attach.client.AttachRequest;
import mayfly.attach.client.DetachMode;
import mayfly.attach.client.DetachOutcome;
import mayfly.attach.client.DetachRequest;
import mayfly.attach.client.ProfilerClient;
import mayfly.kit.Deadline;
import mayfly.kit.Jvm;
import mayfly.kit.Patience;
import mayfly.profile.RuntimeId;

/** A target with the scripted profiler attached. */
final class Attached {
    static final Duration LIMIT = Patience.of(Duration.ofSeconds(60));

    private final int pid;
    private final Optional<RuntimeId.Choice> runtime;

    private Attached(int pid, Optional<RuntimeId.Choice> runtime) {
        this.pid = pid;
        this.runtime = runtime;
    }

    /** Attaches the profiler; its data are the script. The lasting cost of JVMTI is accepted. */
    static Attached to(Jvm jvm, Path folder, String script) throws IOException, AttachFailed {
        return by(request(jvm, ProfilerJars.scripted(folder, ProfilerJars.ALL_EVENTS), script));
    }

    /** Attaches the profiler without JVMTI events, and without accepting JVMTI for any other purpose. */
    static Attached withoutJvmti(Jvm jvm, Path folder) throws IOException, AttachFailed {
        return by(new AttachRequest(
                Math.toIntExact(jvm.pid()),
                ProfilerJars.scripted(folder, ""),
                Optional.empty(),
                Optional.of(new byte[0]),
                LIMIT));
    }

    static Attached by(AttachRequest request) throws AttachFailed {
        ProfilerClient.attach(request);
        return new Attached(request.pid(), request.runtime());
    }

    /** Returns the profiler with which a JVM has started. */
    static Attached launched(Jvm jvm) {
        return new Attached(Math.toIntExact(jvm.pid()), Optional.empty());
    }

    static AttachRequest request(Jvm jvm, Path jar, String script) {
        return request(jvm.pid(), jar, script, LIMIT);
    }

    static AttachRequest request(long pid, Path jar, String script, Duration limit) {
        return new AttachRequest(
                Math.toIntExact(pid),
                jar,
                Optional.empty(),
                Optional.of(script.getBytes(StandardCharsets.UTF_8)),
                limit,
                Acceptance.LASTING_COST);
    }

    String ask(String command) throws AttachFailed {
        return new String(
                ProfilerClient.send(pid, runtime, command.getBytes(StandardCharsets.UTF_8), LIMIT),
                StandardCharsets.UTF_8);
    }

    long count(String callback) throws AttachFailed {
        return Long.parseLong(ask("count " + callback));
    }

    /** Waits for a moment without a running callback: every callback that had begun before has returned. */
    void awaitNoCallback() throws AttachFailed {
        Deadline deadline = Deadline.in(LIMIT);
        while (ProfilerClient.status(pid, runtime).orElseThrow().callbacks() > 0) {
            deadline.check("a callback runs at every check");
        }
    }

    /**
     * Detaches the profiler. Collections of any duration are permitted: on a busy machine, those of a small program may
     * be estimated to be too long to be forced without permission.
     */
    DetachOutcome detach() throws AttachFailed {
        return ProfilerClient.detach(
                new DetachRequest(pid, DetachMode.ASK, DetachRequest.Collections.ALWAYS, "the test is over", LIMIT)
                        .on(runtime));
    }

    boolean isAttached() throws AttachFailed {
        return ProfilerClient.status(pid, runtime).isPresent();
    }

    /** Returns the failure of a call. */
    static AttachFailed failure(Attempt attempt) {
        try {
            attempt.run();
        } catch (AttachFailed e) {
            return e;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
        throw new AssertionError("the call did not fail");
    }

    /** Returns the status of a call. */
    static Status statusOf(Attempt attempt) throws Exception {
        try {
            attempt.run();
            return Status.OK;
        } catch (AttachFailed e) {
            return e.status();
        }
    }

    /** An operation that may fail. */
    interface Attempt {
        void run() throws Exception;
    }
}
