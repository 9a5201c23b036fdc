package mayfly.attach.client;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import mayfly.attach.client.ProfilerJar.ApiPolicy;
import mayfly.profile.RuntimeId;

/**
 * A request to attach a profiler to a process.
 *
 * @param pid the process
 * @param jar the profiler's jar
 * @param className its class, or empty for the one in the manifest
 * @param data the data passed to its initialisation, byte for byte; empty for none, which differs from no bytes; at
 *     most 1 MiB
 * @param timeout time limit for the complete request, from the call that executes it
 * @param accepted the consequences that the user accepts
 * @param runtime the JVM in the process; empty if only one runs in it
 * @param api the versions of the api for which the profiler may be built
 * @param log the entry to add to a log when the profiler ends and no command waits for that; empty for none
 * @param observer is informed of what the attach decides without the user
 */
public record AttachRequest(
        int pid,
        Path jar,
        Optional<String> className,
        Optional<byte[]> data,
        Duration timeout,
        Set<Acceptance> accepted,
        Optional<RuntimeId.Choice> runtime,
        ApiPolicy api,
        Optional<LogEntry> log,
        Observer observer) {
    /** Upper bound on the size of the data, in bytes. */
    public static final int MAX_DATA = 1 << 20;

    /** Is informed of what an attach decides without the user. */
    public interface Observer {
        /** Does nothing. */
        Observer NONE = jvm -> {};

        /**
         * Called before the attach if the profiler may use JVMTI although {@link Acceptance#LASTING_COST} is not
         * accepted: virtual threads of the JVM have that cost already, because of another user of JVMTI.
         */
        void jvmtiPermitted(RuntimeId jvm);
    }

    public AttachRequest {
        accepted = Set.copyOf(accepted);
    }

    /** Creates a request for the only JVM of a process, without a log entry. */
    public AttachRequest(
            int pid,
            Path jar,
            Optional<String> className,
            Optional<byte[]> data,
            Duration timeout,
            Acceptance... accepted) {
        this(
                pid,
                jar,
                className,
                data,
                timeout,
                Set.of(accepted),
                Optional.empty(),
                ApiPolicy.OLDER,
                Optional.empty(),
                Observer.NONE);
    }

    /** Returns this request for a chosen JVM of the process. */
    public AttachRequest on(Optional<RuntimeId.Choice> chosen) {
        return new AttachRequest(pid, jar, className, data, timeout, accepted, chosen, api, log, observer);
    }

    /** Returns this request with a policy for the version of the api. */
    public AttachRequest permitting(ApiPolicy policy) {
        return new AttachRequest(pid, jar, className, data, timeout, accepted, runtime, policy, log, observer);
    }

    /** Returns this request with a log entry. */
    public AttachRequest logging(Optional<LogEntry> entry) {
        return new AttachRequest(pid, jar, className, data, timeout, accepted, runtime, api, entry, observer);
    }

    /** Returns this request with an observer. */
    public AttachRequest observedBy(Observer with) {
        return new AttachRequest(pid, jar, className, data, timeout, accepted, runtime, api, log, with);
    }

    boolean accepts(Acceptance consequence) {
        return accepted.contains(consequence);
    }
}
