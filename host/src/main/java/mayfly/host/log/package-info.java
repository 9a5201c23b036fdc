/**
 * The lines of the JVM's own log, which are input from outside: a line that is not understood is counted as a lost
 * event. Nothing here calls the JVM. The formats are those of HotSpot from JDK 17 to 26.
 */
@NullMarked
package mayfly.host.log;

import org.jspecify.annotations.NullMarked;
