package mayfly.linux;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A small C program of src/test/c, built by gcc and running until closed. */
final class CProgram implements AutoCloseable {
    private final Process process;
    private final BufferedReader out;

    private CProgram(Process process) {
        this.process = process;
        this.out = process.inputReader(StandardCharsets.UTF_8);
    }

    static Path build(String name) {
        try {
            Path dir = Files.createDirectories(Path.of("target", "c").toAbsolutePath());
            Path program = dir.resolve(name);
            Process gcc = new ProcessBuilder("gcc", "-O1", "-pthread", "-o", program.toString(),
                    Path.of("src", "test", "c", name + ".c").toString()).inheritIO().start();
            assumeTrue(gcc.waitFor() == 0, "gcc cannot build " + name + ".c here");
            return program;
        } catch (IOException e) {
            assumeTrue(false, "no gcc: " + e.getMessage());
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static CProgram start(String name, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(build(name).toString()));
        command.addAll(List.of(arguments));
        return new CProgram(new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
    }

    int pid() {
        return (int) process.pid();
    }

    String line() throws IOException {
        return out.readLine();
    }

    List<String> lines() throws IOException {
        return out.lines().toList();
    }

    /** Sends a line and returns the answer: it then runs and works. */
    String ask() throws IOException {
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
        return out.readLine();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    @Override
    public void close() {
        kill();
    }

    /** Ends it and waits until it has. */
    void kill() {
        try {
            process.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
