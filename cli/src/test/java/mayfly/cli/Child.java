package mayfly.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A process started by a test, with the first line that it printed. Closing ends it. */
public record Child(Process process, String firstLine) implements AutoCloseable {

    public static Child start(List<String> command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        BufferedReader reader = process.inputReader(StandardCharsets.UTF_8);
        String line = reader.readLine();
        if (line == null) {
            process.destroyForcibly();
            throw new IOException(String.join(" ", command) + " printed nothing");
        }
        return new Child(process, line);
    }

    /** Starts {@link WaitingProgram}. */
    public static Child jvm(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-cp",
                Path.of("target", "test-classes").toAbsolutePath().toString(),
                WaitingProgram.class.getName()));
        command.addAll(List.of(arguments));
        return start(command);
    }

    public String pid() {
        return Long.toString(process.pid());
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
