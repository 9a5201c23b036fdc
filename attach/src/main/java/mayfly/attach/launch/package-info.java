/** The files for the command line of a JVM that starts with a profiler. */
@NullMarked
package mayfly.attach.launch;

import org.jspecify.annotations.NullMarked;
