package mayfly.host.probe;

/** The strings that a probe passes to the JDK, which finds the host's provider by them. */
public final class ProbeKeys {
    /** Each key begins with this text, which no time zone's id does. */
    public static final String PREFIX = "mayfly/probe/";

    private static final String THROWN = "/thrown";

    private ProbeKeys() {}

    /**
     * Returns the key of a method's enter and of its leaves by return. It is interned, as the constant in the probed
     * method is: the JDK's lookup then compares references instead of characters.
     *
     * @param number the method's number; at least 0
     */
    public static String of(int number) {
        return (PREFIX + number).intern();
    }

    /** Returns the key of a method's leaves by an exception, which is interned too. */
    public static String ofThrown(int number) {
        return (PREFIX + number + THROWN).intern();
    }
}
