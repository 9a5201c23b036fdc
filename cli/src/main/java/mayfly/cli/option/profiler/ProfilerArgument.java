package mayfly.cli.option.profiler;

import java.nio.file.Path;
import java.util.Optional;
import mayfly.cli.option.PathConverter;
import mayfly.cli.output.CommandFailed;
import mayfly.cli.output.Message;
import picocli.CommandLine.TypeConversionException;

/**
 * The argument {@code JAR[=CLASS]}.
 *
 * @param jar the profiler's jar
 * @param className the class name, or empty for the one named in the manifest
 */
public record ProfilerArgument(Path jar, Optional<String> className) {

    /**
     * Reads the argument.
     *
     * @throws CommandFailed if the path of the jar cannot be a file name in this locale
     */
    public static ProfilerArgument of(String text) throws CommandFailed {
        int equals = text.lastIndexOf('=');
        return new ProfilerArgument(
                jar(equals < 0 ? text : text.substring(0, equals)),
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
