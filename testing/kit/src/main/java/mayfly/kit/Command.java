package mayfly.kit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A program that was run to its end.
 *
 * @param command the command line
 * @param exitCode its exit status, or 128 plus the signal's number if a signal ended it
 * @param stdout its standard output
 * @param stderr its standard error
 * @param wall its duration
 */
public record Command(List<String> command, int exitCode, String stdout, String stderr, Duration wall) {
    /** Runs a command to its end. Kills the command and fails if it takes longer than the limit. */
    public static Command run(Duration limit, String... command) {
        return run(limit, List.of(command), null, Map.of());
    }

    /** Runs a command to its end in a folder, with additional environment variables. */
    public static Command run(Duration limit, List<String> command, @Nullable Path folder, Map<String, String> more) {
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
        builder.environment().putAll(more);
        if (folder != null) {
            builder.directory(folder.toFile());
        }
        long began = System.nanoTime();
        try {
            Process process = builder.start();
            var out = new Output("stdout of " + process.pid(), process.getInputStream(), Output.ALL);
            var err = new Output("stderr of " + process.pid(), process.getErrorStream(), Output.ALL);
            boolean ended = process.waitFor(Patience.of(limit));
            if (!ended) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly().waitFor();
            }
            Duration wall = Duration.ofNanos(System.nanoTime() - began);
            out.await(Duration.ofSeconds(5));
            err.await(Duration.ofSeconds(5));
            var result = new Command(List.copyOf(command), process.exitValue(), out.text(), err.text(), wall);
            if (!ended) {
                throw new AssertionError("still running after " + limit + "\n" + result.evidence());
            }
            return result;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while running " + Shell.line(command), e);
        }
    }

    /** Returns the details for the message of a failed test. */
    public String evidence() {
        return "command: " + Shell.line(command) + "\nexit status: " + exitCode + "\nstdout:\n" + stdout + "\nstderr:\n"
                + stderr;
    }
}
