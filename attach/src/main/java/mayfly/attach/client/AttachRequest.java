package mayfly.attach.client;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * A profiler for a process.
 *
 * @param pid the process
 * @param jar the profiler's jar
 * @param className its class, or empty for the one that the manifest names
 * @param data what its initialisation gets, byte for byte; empty for none, which differs from no bytes; at most 1 MiB
 * @param timeout over everything, from now on
 * @param acceptLastingCost whether JVMTI may be taken where that slows virtual threads for the rest of the JVM's life
 * @param acceptDormant whether it may be attached where the JVM never unloads classes: its classes then stay when it is
 *        detached
 * @param runtime which of the process's JVMs; empty if it has only one that runs
 * @param log what is added to a log when the profiler goes and no command waits for that; empty for nothing
 */
public record AttachRequest(int pid, Path jar, Optional<String> className, Optional<byte[]> data, Duration timeout,
                            boolean acceptLastingCost, boolean acceptDormant, Optional<RuntimeChoice> runtime, Optional<LogEntry> log) {
    /** Bytes of data. */
    public static final int MAX_DATA = 1 << 20;

    /** For the only JVM of a process, and to be unloaded again. */
    public AttachRequest(int pid, Path jar, Optional<String> className, Optional<byte[]> data, Duration timeout,
            boolean acceptLastingCost) {
        this(pid, jar, className, data, timeout, acceptLastingCost, false, Optional.empty());
    }

    /** Without an entry in a log. */
    public AttachRequest(int pid, Path jar, Optional<String> className, Optional<byte[]> data, Duration timeout,
            boolean acceptLastingCost, boolean acceptDormant, Optional<RuntimeChoice> runtime) {
        this(pid, jar, className, data, timeout, acceptLastingCost, acceptDormant, runtime, Optional.empty());
    }
}
