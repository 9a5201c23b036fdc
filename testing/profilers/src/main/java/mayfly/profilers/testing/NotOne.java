package mayfly.profilers.testing;

/** Has all parts of a profiler except the interface. */
public final class NotOne {
}
