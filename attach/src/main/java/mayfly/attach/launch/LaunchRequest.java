package mayfly.attach.launch;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * A profiler for JVMs that are to be started.
 *
 * @param jar the profiler's jar
 * @param className its class, or empty for the one in the manifest
 * @param timeout the longest time that main waits for the profiler's initialisation
 * @param acceptLastingCost true if the profiler may be attached although that slows the JVM's virtual threads for the
 *     rest of its life
 * @param acceptRemainingClasses true if the profiler may be attached to a JVM that never unloads classes
 */
public record LaunchRequest(Path jar, Optional<String> className, Duration timeout, boolean acceptLastingCost,
                            boolean acceptRemainingClasses) {
}
