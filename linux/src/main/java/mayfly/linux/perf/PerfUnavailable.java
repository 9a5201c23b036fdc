package mayfly.linux.perf;

/** Thrown if a collector cannot be opened; gives the reason, and the responsible setting with its value. */
public final class PerfUnavailable extends Exception {
    private static final long serialVersionUID = 1L;

    /** The reason why perf events are unavailable. */
    public enum Reason {
        /** The rate is above kernel.perf_event_max_sample_rate. */
        RATE_TOO_HIGH,
        /** kernel.perf_event_paranoid, a missing capability, or a seccomp filter forbids it. */
        NOT_PERMITTED,
        /** More descriptors are needed than RLIMIT_NOFILE permits. */
        TOO_FEW_DESCRIPTORS,
        /** The smallest rings exceed the permitted locked memory. */
        TOO_LITTLE_MEMORY,
        /** The target has exited. */
        TARGET_GONE,
        /** The kernel does not support these events. */
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
