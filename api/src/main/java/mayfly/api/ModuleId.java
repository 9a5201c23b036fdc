package mayfly.api;

/**
 * A module of the runtime; all unnamed modules are one for each class loader.
 *
 * @param runtime the runtime it belongs to; an id is never used with another
 * @param value a number that no other module of this runtime has or had while the profiler is attached
 */
public record ModuleId(int runtime, long value) {

    @Override
    public boolean equals(Object other) {
        return other instanceof ModuleId && ((ModuleId) other).runtime == runtime && ((ModuleId) other).value == value;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(value) * 31 + runtime;
    }

    @Override
    public String toString() {
        return "module " + value;
    }
}
