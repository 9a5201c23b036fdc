package mayfly.cli;

import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.TypeConversionException;

/**
 * {@code JAR[=CLASS]}.
 *
 * @param jar the profiler's jar
 * @param className its class, or empty for the one that the manifest names
 */
record ProfilerArgument(Path jar, Optional<String> className) {

    static ProfilerArgument of(String text) throws CommandFailed {
        int equals = text.lastIndexOf('=');
        return new ProfilerArgument(jar(equals < 0 ? text : text.substring(0, equals)),
                equals < 0 ? Optional.empty() : Optional.of(text.substring(equals + 1)));
    }

    private static Path jar(String text) throws CommandFailed {
        try {
            return new PathConverter().convert(text);
        } catch (TypeConversionException e) {
            throw Message.USAGE.with("--profiler: " + e.getMessage());
        }
    }
}
