package mayfly.hotspot.tables;

/** Something of the VM's that is torn or absurd. An ordinary outcome of reading a running VM: no stack trace. */
public final class BadMetadata extends Exception {
    private static final long serialVersionUID = 1L;

    public BadMetadata(String message) {
        super(message, null, false, false);
    }
}
