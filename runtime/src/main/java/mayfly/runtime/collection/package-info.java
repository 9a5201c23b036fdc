/** The pauses for which a runtime stops managed code to collect garbage. */
@NullMarked
package mayfly.runtime.collection;

import org.jspecify.annotations.NullMarked;
