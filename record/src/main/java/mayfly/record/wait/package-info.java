/** The waits of threads, derived from the kernel's records of their switches. */
@NullMarked
package mayfly.record.wait;

import org.jspecify.annotations.NullMarked;
