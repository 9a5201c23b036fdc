package mayfly.api;

/**
 * The id of a thread of the runtime.
 *
 * @param runtime the runtime of the thread; the id is invalid in any other runtime
 * @param value a number that no other thread of this runtime has, or had, while the profiler is attached
 */
public record ThreadId(int runtime, long value) {

    @Override
    public boolean equals(Object other) {
        return other instanceof ThreadId && ((ThreadId) other).runtime == runtime && ((ThreadId) other).value == value;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(value) * 31 + runtime;
    }

    @Override
    public String toString() {
        return "thread " + value;
    }
}
