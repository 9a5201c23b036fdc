package mayfly.client;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import mayfly.client.MayflyException.Reason;

/** Finds the command {@code mayfly} of an unpacked archive or of a checkout. */
final class Installation {
    static final String PROPERTY = "mayfly.home";
    static final String VARIABLE = "MAYFLY_HOME";
    private static final String COMMAND = "mayfly";
    private static final String ADVICE = "unpack an archive of Mayfly, and name its folder in the system property "
            + PROPERTY + " or in the environment variable " + VARIABLE + ", or put the folder on PATH";

    private Installation() {}

    /**
     * Finds the command. A property or variable that is set decides: if the command is not there, the search ends, so
     * that no other version is used without notice.
     */
    static Path find(Properties properties, Map<String, String> environment) throws MayflyException {
        String property = properties.getProperty(PROPERTY, "");
        if (!property.isEmpty()) {
            return at(property, "the system property " + PROPERTY + " is ");
        }
        String variable = environment.getOrDefault(VARIABLE, "");
        if (!variable.isEmpty()) {
            return at(
                    variable,
                    "the system property " + PROPERTY + " is not set, and the environment variable " + VARIABLE
                            + " is ");
        }
        String path = environment.getOrDefault("PATH", "");
        for (String folder : path.split(File.pathSeparator)) {
            // An empty or relative folder would mean whichever folder this JVM was started in.
            Optional<Path> found = folder.startsWith("/") ? command(folder) : Optional.empty();
            if (found.isPresent()) {
                return found.get();
            }
        }
        throw missing("neither the system property " + PROPERTY + " nor the environment variable " + VARIABLE
                + " is set, and no folder of PATH has an executable file " + COMMAND + ": " + path);
    }

    /** Returns the command in a folder, or the command itself. */
    static Path at(String place, String context) throws MayflyException {
        return command(place)
                .orElseThrow(() -> missing(context + place
                        + ", which is neither an executable file nor a folder with an executable file " + COMMAND));
    }

    private static Optional<Path> command(String place) {
        Path path;
        try {
            path = Path.of(place).toAbsolutePath();
        } catch (InvalidPathException e) {
            return Optional.empty();
        }
        Path file = Files.isDirectory(path) ? path.resolve(COMMAND) : path;
        return Files.isRegularFile(file) && Files.isExecutable(file) ? Optional.of(file) : Optional.empty();
    }

    private static MayflyException missing(String message) {
        return MayflyException.of(Reason.NOT_INSTALLED, "Mayfly was not found: " + message, ADVICE, "", null);
    }
}
