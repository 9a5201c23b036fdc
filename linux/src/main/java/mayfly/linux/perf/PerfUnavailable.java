package mayfly.linux.perf;

/** A collector that cannot be opened: why, and the setting to blame with its value. */
public final class PerfUnavailable extends Exception {
    private static final long serialVersionUID = 1L;

    /** Why perf events cannot be had. */
    public enum Reason {
        /** The rate is above kernel.perf_event_max_sample_rate. */
        RATE_TOO_HIGH,
        /** kernel.perf_event_paranoid, a missing capability, or a seccomp filter. */
        NOT_PERMITTED,
        /** More descriptors are needed than RLIMIT_NOFILE allows. */
        TOO_FEW_DESCRIPTORS,
        /** Not even the smallest rings fit into the locked memory that is allowed. */
        TOO_LITTLE_MEMORY,
        /** The target has exited. */
        TARGET_GONE,
        /** This kernel has no such events. */
        UNSUPPORTED
    }

    private final Reason reason;

    PerfUnavailable(Reason reason, String message) {
        super(message, null, false, false);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }
}
