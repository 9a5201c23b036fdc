package mayfly.api;

/**
 * The id of a module of the runtime; the unnamed module of each class loader has its own id.
 *
 * @param runtime the runtime of the module; the id is invalid in any other runtime
 * @param value a number that no other module of this runtime has, or had, while the profiler is attached
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
