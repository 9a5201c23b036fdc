/**
 * The files for the command line of a JVM that starts with a profiler ({@code mayfly run --profiler}): a small library,
 * and a launch file from which that library reads the host and the profiler.
 *
 * <p>A {@link LaunchRequest} comes in; {@link LaunchFiles} goes out, with the option for the command line. Start
 * reading there. {@link LaunchFile} writes the launch file, whose format is in docs/formats/launch-file.md. {@link
 * LaunchFolder} makes a temporary folder, and {@link OwnFolder} one that remains.
 *
 * <p>A JVM, perhaps one of root, loads the library: no other user may be able to replace it or a folder on its path. A
 * launch file contains the profiler's jar and is readable by others only if the jar is. The JVM must start in any case,
 * so all users can read the library.
 */
@NullMarked
package mayfly.attach.launch;

import org.jspecify.annotations.NullMarked;
