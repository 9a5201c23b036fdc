/** The times for which a runtime suspends all its threads. */
@NullMarked
package mayfly.runtime.suspension;

import org.jspecify.annotations.NullMarked;
