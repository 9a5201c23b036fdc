package mayfly.attach.launch;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import mayfly.attach.client.Acceptance;
import mayfly.attach.client.ProfilerJar.ApiPolicy;

/**
 * A profiler for JVMs that are to be started.
 *
 * @param jar the profiler's jar
 * @param className its class, or empty for the one in the manifest
 * @param timeout the longest time that main waits for the profiler's initialisation
 * @param accepted the consequences of the attach that the user accepts
 * @param api the versions of the api for which the profiler may be built
 * @param features the feature versions of the JVMs that get it; empty for all that can host it
 */
public record LaunchRequest(
        Path jar,
        Optional<String> className,
        Duration timeout,
        Set<Acceptance> accepted,
        ApiPolicy api,
        Set<Integer> features) {
    public LaunchRequest {
        accepted = Set.copyOf(accepted);
        features = Set.copyOf(features);
    }

    /** Creates a request for JVMs of all versions. */
    public LaunchRequest(Path jar, Optional<String> className, Duration timeout, Set<Acceptance> accepted) {
        this(jar, className, timeout, accepted, ApiPolicy.OLDER, Set.of());
    }
}
