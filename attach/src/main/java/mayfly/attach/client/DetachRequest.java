package mayfly.attach.client;

import java.time.Duration;
import java.util.Optional;
import mayfly.profile.RuntimeId;
import mayfly.wire.message.DetachFlag;

/**
 * A request to detach the profiler of a process.
 *
 * @param pid the process
 * @param mode the way in which the detach begins
 * @param collections the garbage collections that the host may force
 * @param reason the reason, for a human reader
 * @param timeout time limit for the complete request, from the call that executes it
 * @param runtime the JVM in the process; empty if only one has a profiler
 */
public record DetachRequest(
        int pid,
        DetachMode mode,
        Collections collections,
        String reason,
        Duration timeout,
        Optional<RuntimeId.Choice> runtime) {

    /** The garbage collections that a host may force to confirm the unloading. */
    public enum Collections {
        /**
         * Those whose pause the host estimates to be short. Otherwise it waits for a collection of the program
         * (docs/footprint.md).
         */
        IF_SHORT(0),
        /**
         * All, regardless of how long they stop the program, and long walks over the heap to find what retains the
         * profiler.
         */
        ALWAYS(DetachFlag.COLLECT);

        private final int flags;

        Collections(int flags) {
            this.flags = flags;
        }
    }

    /** Creates a request for the only profiler of a process. */
    public DetachRequest(int pid, DetachMode mode, Collections collections, String reason, Duration timeout) {
        this(pid, mode, collections, reason, timeout, Optional.empty());
    }

    /** Creates a request that asks the only profiler of a process to detach, and forces only short collections. */
    public DetachRequest(int pid, String reason, Duration timeout) {
        this(pid, DetachMode.ASK, Collections.IF_SHORT, reason, timeout);
    }

    /** Returns this request for the profiler in a chosen JVM of the process. */
    public DetachRequest on(Optional<RuntimeId.Choice> chosen) {
        return new DetachRequest(pid, mode, collections, reason, timeout, chosen);
    }

    /** Returns the flags in the host's channel: docs/formats/host-channel.md, DETACH. */
    int flags() {
        return mode.flags() | collections.flags;
    }
}
