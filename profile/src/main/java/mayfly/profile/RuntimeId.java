package mayfly.profile;

/**
 * The id of one managed runtime in a process: {@code r1}, {@code r2}, … in the order in which they started, for the
 * life of the process.
 *
 * @param number 1 or more
 */
public record RuntimeId(int number) {
    /** @throws IllegalArgumentException if {@code number} is less than 1 */
    public RuntimeId {
        if (number < 1) {
            throw new IllegalArgumentException("runtime ids start at r1, not r" + number);
        }
    }

    @Override
    public String toString() {
        return "r" + number;
    }
}
