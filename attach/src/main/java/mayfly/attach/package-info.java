/**
 * Attaching a profiler to a running JVM, speaking to it, and seeing that it is gone. docs/formats/host-channel.md has what crosses
 * the process's border.
 */
@NullMarked
package mayfly.attach;

import org.jspecify.annotations.NullMarked;
