package mayfly.client.process;

import java.io.IOException;
import java.util.List;
import java.util.Map;

/** Starts a program. */
@FunctionalInterface
public interface Starter {
    /** The starter of real programs. */
    Starter PROGRAMS = command -> {
        var builder = new ProcessBuilder(command);
        prepare(builder.environment());
        return builder.start();
    };

    /** Removes the variable that makes the launcher print the path of its JVM instead of running the command. */
    static void prepare(Map<String, String> environment) {
        environment.remove("MAYFLY_PRINT_JAVA");
    }

    /** @throws IOException if the program cannot be started */
    Process start(List<String> command) throws IOException;
}
