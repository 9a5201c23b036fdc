package mayfly.api.code;

/**
 * The id of a class loader of the runtime, other than the boot loader.
 *
 * @param runtime the runtime of the loader; the id is invalid in any other runtime
 * @param value a number that no other loader of this runtime has, or had, while the profiler is attached
 */
public record LoaderId(int runtime, long value) {

    @Override
    public boolean equals(Object other) {
        return other instanceof LoaderId && ((LoaderId) other).runtime == runtime && ((LoaderId) other).value == value;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(value) * 31 + runtime;
    }

    @Override
    public String toString() {
        return "loader " + value;
    }
}
