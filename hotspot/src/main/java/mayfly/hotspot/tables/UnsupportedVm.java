package mayfly.hotspot.tables;

/**
 * A virtual machine that cannot be read: it lacks what is needed, contradicts itself, or has not started.
 *
 * <p>The message names what is missing. Raised before the first sample, never during a walk.
 */
public final class UnsupportedVm extends Exception {
    private static final long serialVersionUID = 1L;

    /** Why it cannot be read. */
    public enum Reason {
        /** The library has no VM structures: it is no HotSpot VM, or one built without them. */
        NOT_HOTSPOT,
        /** The VM has not got as far as its first thread and its first code; it may be read in a moment. */
        STARTING,
        /** Its JDK is older than the oldest that is supported. */
        TOO_OLD,
        /** A structure that is needed is missing, or its values contradict each other. */
        INCONSISTENT
    }

    private final Reason reason;
    private final String version;

    public UnsupportedVm(Reason reason, String message) {
        this(reason, message, "");
    }

    UnsupportedVm(Reason reason, String message, String version) {
        super(message);
        this.reason = reason;
        this.version = version;
    }

    /** The same of a VM whose version could be read. */
    UnsupportedVm of(VmVersion known) {
        return new UnsupportedVm(reason, String.valueOf(getMessage()), known.release());
    }

    /** The VM's own version, empty if it could not be read: untrusted text. */
    public String version() {
        return version;
    }

    public Reason reason() {
        return reason;
    }
}
