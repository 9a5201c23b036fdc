package mayfly.host.probe;

/**
 * A difference between two states of a class's code.
 *
 * @param method the method's name and descriptor, as in {@code run()V}
 * @param offset the offset of the first instruction that differs; {@link #NO_OFFSET} if only one of the states has the
 * method
 */
public record CodeDifference(String method, int offset) {
    /** The offset if only one of the states has the method. */
    public static final int NO_OFFSET = -1;
}
