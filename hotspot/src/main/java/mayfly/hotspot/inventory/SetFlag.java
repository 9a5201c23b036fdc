package mayfly.hotspot.inventory;

/**
 * A flag of the VM that somebody has set.
 *
 * @param name such as UseZGC
 * @param value as {@code jcmd VM.flags} prints it; untrusted text
 * @param origin who set it
 */
public record SetFlag(String name, String value, Origin origin) {
    /** JVMFlagOrigin, by number. */
    public enum Origin {
        DEFAULT, COMMAND_LINE, ENVIRONMENT, CONFIG_FILE,
        /** Through the management interface, while the VM runs. */
        MANAGEMENT,
        /** The VM itself, from what the machine is. */
        ERGONOMIC,
        /** Through the attach mechanism, while the VM runs. */
        ATTACH,
        INTERNAL,
        /** A file in the JDK's image. */
        IMAGE
    }
}
