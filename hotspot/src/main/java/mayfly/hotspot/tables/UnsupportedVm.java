package mayfly.hotspot.tables;

/**
 * Thrown if a virtual machine cannot be read, for one of the reasons in {@link Reason}.
 *
 * <p>The message gives the details, such as the missing structure. Thrown before the first sample, never during a walk.
 */
public final class UnsupportedVm extends Exception {
    private static final long serialVersionUID = 1L;

    /** The reason why it cannot be read. */
    public enum Reason {
        /** The library has no VM structures: it is not a HotSpot VM, or was built without them. */
        NOT_HOTSPOT,
        /** The VM does not have its first thread and its first code yet; it may be readable in a moment. */
        STARTING,
        /** Its JDK is older than the oldest supported one. */
        TOO_OLD,
        /** It runs on a CPU whose frames are not supported. */
        OTHER_CPU,
        /** A required structure is missing, or its values contradict each other. */
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

    /** Returns this exception with the version of the VM. */
    UnsupportedVm of(VmVersion known) {
        return new UnsupportedVm(reason, String.valueOf(getMessage()), known.release());
    }

    /** Returns the VM's own version, untrusted text; empty if it could not be read. */
    public String version() {
        return version;
    }

    public Reason reason() {
        return reason;
    }
}
