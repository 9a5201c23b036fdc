package mayfly.hotspot.tables;

/**
 * Thrown if VM data is inconsistent or absurd. An ordinary outcome of reading a running VM, so it has no stack trace.
 */
public final class BadMetadata extends Exception {
    private static final long serialVersionUID = 1L;

    public BadMetadata(String message) {
        super(message, null, false, false);
    }
}
