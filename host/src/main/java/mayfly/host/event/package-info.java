/** The data of events, as the library passes them to its Java half. */
@NullMarked
package mayfly.host.event;

import org.jspecify.annotations.NullMarked;
