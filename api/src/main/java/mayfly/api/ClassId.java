package mayfly.api;

/**
 * The id of a class of the runtime. Array classes are reported only as the class of an allocated object or of an object
 * with a monitor.
 *
 * @param runtime the runtime of the class; the id is invalid in any other runtime
 * @param value a number that no other class of this runtime has, or had, while the profiler is attached
 */
public record ClassId(int runtime, long value) {

    @Override
    public boolean equals(Object other) {
        return other instanceof ClassId && ((ClassId) other).runtime == runtime && ((ClassId) other).value == value;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(value) * 31 + runtime;
    }

    @Override
    public String toString() {
        return "class " + value;
    }
}
