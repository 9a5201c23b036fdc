package mayfly.profilers.testing;

/** Has all that a profiler needs but the interface. */
public final class NotOne {
}
