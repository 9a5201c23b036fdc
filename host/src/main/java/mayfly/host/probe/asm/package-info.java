/**
 * Inserts probes by means of the library ASM. These classes and those of ASM are sent to a target only with a profiler
 * whose manifest lists the event, and only {@code mayfly.host.probe.ProbeCode} loads them.
 */
package mayfly.host.probe.asm;
