package mayfly.attach.launch;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * A profiler for JVMs that are going to be started.
 *
 * @param jar the profiler's jar
 * @param className its class, or empty for the one that the manifest names
 * @param timeout how long main waits for the profiler's initialisation
 * @param acceptLastingCost whether a JVM may take it that slows virtual threads for the rest of its life by that
 * @param acceptDormant whether a JVM may take it that never unloads classes
 */
public record LaunchRequest(Path jar, Optional<String> className, Duration timeout, boolean acceptLastingCost, boolean acceptDormant) {
}
