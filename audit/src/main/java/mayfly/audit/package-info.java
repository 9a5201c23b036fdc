/**
 * What a profiler could have left in a process, of whichever kind, looked at from outside only; and what became
 * different between two looks. docs/formats/audit.md has the file that keeps the first look.
 */
@NullMarked
package mayfly.audit;

import org.jspecify.annotations.NullMarked;
