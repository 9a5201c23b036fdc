/** perf_event_open(2): events, rings and their records. */
@org.jspecify.annotations.NullMarked
package mayfly.linux.perf;
