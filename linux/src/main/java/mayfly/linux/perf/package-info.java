/**
 * Samples from perf_event_open(2): events, the rings that they are written to, and the records in the rings.
 *
 * <p>A process and {@link PerfOptions} come in; {@link PerfRecords} receives a {@link PerfSample} for each sample, and
 * the names, starts and ends of threads. Start reading at {@link PerfCollector}, which opens one event for each CPU
 * ({@link SystemWide}) or for each thread and CPU ({@link PerThread}), or reports with a {@link PerfUnavailable} which
 * setting of the kernel forbids it. {@link PerfRing} is one ring shared with the kernel, and {@link PerfRings} combines
 * those of all CPUs.
 *
 * <p>Records of other processes are dropped before they are copied. {@link PerfRecords#lost} reports the number of
 * records that the kernel could not write, so that the ledger of a recording has it. A {@link PerfSample} is reused: it
 * is valid only during the call that delivers it.
 */
@org.jspecify.annotations.NullMarked
package mayfly.linux.perf;
