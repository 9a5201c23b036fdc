/**
 * The items of all kinds that a profiler could have left in a process, read from outside only, and the differences
 * between two audits.
 *
 * <p>A process comes in; an {@link Audit} goes out, with a section for each {@link AuditKind}. Start reading at {@link
 * Audit}: {@link ProcessReader} reads the kinds that the kernel reports, and {@link VmReader} those that the JVMs list.
 * {@link AuditFile} stores an audit in the format of docs/formats/audit.md. {@link AuditComparison} compares two, and
 * {@link Rule} maps each new item to a {@link Verdict}.
 *
 * <p>A kind that could not be read is "not seen" with the reason, and is never reported as empty: {@link NotSeen} is an
 * ordinary result. The process is neither changed nor stopped. Items are untrusted text; their number and their length
 * are bounded.
 */
@NullMarked
package mayfly.audit;

import org.jspecify.annotations.NullMarked;
