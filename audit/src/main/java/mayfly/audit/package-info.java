/**
 * The items of all kinds that a profiler could have left in a process, read from outside only, and the differences
 * between two audits. docs/formats/audit.md defines the file that stores the first audit.
 */
@NullMarked
package mayfly.audit;

import org.jspecify.annotations.NullMarked;
