package mayfly.cli;

import java.nio.file.Path;
import java.util.Optional;

/**
 * {@code JAR[=CLASS]}.
 *
 * @param jar the profiler's jar
 * @param className its class, or empty for the one that the manifest names
 */
record ProfilerArgument(Path jar, Optional<String> className) {

    static ProfilerArgument of(String text) {
        int equals = text.lastIndexOf('=');
        Path jar = new PathConverter().convert(equals < 0 ? text : text.substring(0, equals));
        return new ProfilerArgument(jar, equals < 0 ? Optional.empty() : Optional.of(text.substring(equals + 1)));
    }
}
