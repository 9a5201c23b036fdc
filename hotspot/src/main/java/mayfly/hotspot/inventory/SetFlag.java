package mayfly.hotspot.inventory;

/**
 * A flag of the VM whose value has an origin other than the default.
 *
 * @param name such as UseZGC
 * @param value as {@code jcmd VM.flags} prints it; untrusted text
 * @param origin the origin of the value
 */
public record SetFlag(String name, String value, Origin origin) {
    /** JVMFlagOrigin, by number. */
    public enum Origin {
        DEFAULT,
        COMMAND_LINE,
        ENVIRONMENT,
        CONFIG_FILE,
        /** Through the management interface, at run time. */
        MANAGEMENT,
        /** The VM itself, from the properties of the machine. */
        ERGONOMIC,
        /** Through the attach mechanism, at run time. */
        ATTACH,
        INTERNAL,
        /** A file in the JDK's image. */
        IMAGE
    }
}
