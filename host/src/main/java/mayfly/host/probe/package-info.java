/**
 * Probes: calls that the host inserts into methods of the program, at their enter and at each leave, and the proof that
 * they were removed.
 *
 * <p>{@link mayfly.host.probe.MethodPattern} selects methods, and {@link mayfly.host.probe.ProbeCode} inserts the
 * calls. {@link mayfly.host.probe.CodeRecord} compares the code of a class before the first probe with its code after
 * the last one. The package {@code mayfly.host.probe.asm} alone uses the library ASM. Its classes and those of ASM are
 * sent only with a profiler whose manifest lists the event, and they are defined when the first probe is inserted.
 */
package mayfly.host.probe;
