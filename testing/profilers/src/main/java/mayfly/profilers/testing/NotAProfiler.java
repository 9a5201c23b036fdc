package mayfly.profilers.testing;

/** Has everything that a profiler needs, but does not implement the interface. */
public final class NotAProfiler {}
