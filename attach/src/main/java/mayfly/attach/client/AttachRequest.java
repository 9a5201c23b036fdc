package mayfly.attach.client;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * A request to attach a profiler to a process.
 *
 * @param pid the process
 * @param jar the profiler's jar
 * @param className its class, or empty for the one in the manifest
 * @param data the data passed to its initialisation, byte for byte; empty for none, which differs from no bytes; at
 *     most 1 MiB
 * @param timeout time limit for the complete request, from the call that executes it
 * @param acceptLastingCost true if JVMTI may be used although it slows virtual threads for the rest of the JVM's life
 * @param acceptRemainingClasses true if the profiler may be attached to a JVM that never unloads classes: its classes
 *     then remain after the detach
 * @param runtime the JVM in the process; empty if only one runs in it
 * @param log the entry to add to a log when the profiler ends and no command waits for that; empty for none
 */
public record AttachRequest(int pid, Path jar, Optional<String> className, Optional<byte[]> data, Duration timeout,
                            boolean acceptLastingCost, boolean acceptRemainingClasses,
                            Optional<RuntimeChoice> runtime, Optional<LogEntry> log) {
    /** Upper bound on the size of the data, in bytes. */
    public static final int MAX_DATA = 1 << 20;

    /** Creates a request for the only JVM of a process, with a profiler that can be unloaded. */
    public AttachRequest(int pid, Path jar, Optional<String> className, Optional<byte[]> data, Duration timeout,
            boolean acceptLastingCost) {
        this(pid, jar, className, data, timeout, acceptLastingCost, false, Optional.empty());
    }

    /** Creates a request without a log entry. */
    public AttachRequest(int pid, Path jar, Optional<String> className, Optional<byte[]> data, Duration timeout,
            boolean acceptLastingCost, boolean acceptRemainingClasses, Optional<RuntimeChoice> runtime) {
        this(pid, jar, className, data, timeout, acceptLastingCost, acceptRemainingClasses, runtime, Optional.empty());
    }
}
