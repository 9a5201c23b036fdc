package mayfly.e2e;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import mayfly.api.Status;
import mayfly.attach.AttachFailed;
import mayfly.attach.AttachRequest;
import mayfly.attach.DetachOutcome;
import mayfly.attach.Trigger;
import mayfly.kit.Jvm;

/** A target with the scripted profiler in it. */
final class Attached {
    static final Duration LIMIT = Duration.ofSeconds(30);

    private final int pid;

    private Attached(Jvm jvm) {
        this.pid = Math.toIntExact(jvm.pid());
    }

    /** Attaches it; the data are its script. The lasting cost of JVMTI is accepted. */
    static Attached to(Jvm jvm, Path folder, String script) throws IOException, AttachFailed {
        Trigger.attach(request(jvm, ProfilerJars.scripted(folder, ProfilerJars.ALL_EVENTS), script));
        return new Attached(jvm);
    }

    static AttachRequest request(Jvm jvm, Path jar, String script) {
        return new AttachRequest(Math.toIntExact(jvm.pid()), jar, Optional.empty(),
                Optional.of(script.getBytes(StandardCharsets.UTF_8)), LIMIT, true);
    }

    String ask(String command) throws AttachFailed {
        return new String(Trigger.send(pid, command.getBytes(StandardCharsets.UTF_8), LIMIT), StandardCharsets.UTF_8);
    }

    long count(String callback) throws AttachFailed {
        return Long.parseLong(ask("count " + callback));
    }

    DetachOutcome detach() throws AttachFailed {
        return Trigger.detach(pid, "the test is over", LIMIT);
    }

    boolean isAttached() throws AttachFailed {
        return Trigger.status(pid).isPresent();
    }

    /** What became of a call. */
    static Status statusOf(Attempt attempt) throws Exception {
        try {
            attempt.run();
            return Status.OK;
        } catch (AttachFailed e) {
            return e.status();
        }
    }

    /** Something that may fail. */
    interface Attempt {
        void run() throws Exception;
    }
}
