package mayfly.kit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Runs the launcher of this checkout as a user would. */
public final class LaunchedMayfly implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final Duration LAST_LINES = Duration.ofSeconds(5);
    /**
     * Makes the launcher run the existing build even if a source file is newer, because a test must not start a build.
     */
    private static final Map<String, String> AS_BUILT = Map.of("MAYFLY_NO_BUILD", "1");

    private final List<String> command;
    private final Process process;
    private final Output out;
    private final Output err;

    private LaunchedMayfly(List<String> command) {
        this.command = command;
        try {
            ProcessBuilder builder =
                    new ProcessBuilder(command).directory(Project.root().toFile());
            builder.environment().putAll(AS_BUILT);
            process = builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        out = new Output("stdout of mayfly", process.getInputStream(), Output.SOME);
        err = new Output("stderr of mayfly", process.getErrorStream(), Output.SOME);
    }

    /** Runs {@code mayfly} with these arguments to its end. */
    public static Command run(String... arguments) {
        return run(LIMIT, Project.root(), arguments);
    }

    /** Runs {@code mayfly} to its end in a folder, to which it writes outputs that have no path. */
    public static Command run(Duration limit, Path folder, String... arguments) {
        return Command.run(limit, command(arguments), folder, AS_BUILT);
    }

    /** Runs {@code mayfly} to its end by a command that execs it, such as {@code setpriv --reuid 65534}. */
    public static Command runUnder(List<String> prefix, Duration limit, Path folder, String... arguments) {
        List<String> line = new ArrayList<>(prefix);
        line.addAll(command(arguments));
        return Command.run(limit, line, folder, AS_BUILT);
    }

    /** Runs Mayfly with its log and state in the given folder. */
    public static Command runWithState(Path folder, Duration limit, String... arguments) {
        return runUnder(List.of("env", "XDG_STATE_HOME=" + folder), limit, folder, arguments);
    }

    /** Starts {@code mayfly} and leaves it running. */
    public static LaunchedMayfly start(String... arguments) {
        return new LaunchedMayfly(command(arguments));
    }

    /** Starts {@code mayfly} by a command that execs it, and leaves it running. */
    public static LaunchedMayfly startUnder(List<String> prefix, String... arguments) {
        List<String> line = new ArrayList<>(prefix);
        line.addAll(command(arguments));
        return new LaunchedMayfly(line);
    }

    private static List<String> command(String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Project.launcher().toString());
        command.addAll(List.of(arguments));
        return command;
    }

    public Process process() {
        return process;
    }

    /** Returns the standard output so far; all of it if the command has ended. */
    public String stdout() {
        return text(out);
    }

    /** Returns the standard error so far; all of it if the command has ended. */
    public String stderr() {
        return text(err);
    }

    private String text(Output from) {
        try {
            if (!process.isAlive()) {
                from.await(LAST_LINES);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return from.text();
    }

    /** Waits for a line on stderr that contains this text. */
    public String awaitStderr(String words, Duration limit) {
        return await(err, words, limit);
    }

    /** Waits for a line on stdout that contains this text. */
    public String awaitStdout(String words, Duration limit) {
        return await(out, words, limit);
    }

    private String await(Output from, String words, Duration limit) {
        long deadline = System.nanoTime() + Patience.of(limit).toNanos();
        try {
            for (String line = from.next(deadline); line != null; line = from.next(deadline)) {
                if (line.contains(words)) {
                    return line;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        throw new AssertionError("mayfly did not print '" + words + "'\n" + Shell.line(command) + "\n" + err.text());
    }

    /** Sends SIGTERM, as {@code kill} does, waits for the end, and returns the exit status. */
    public int terminate() {
        process.toHandle().destroy(); // Process.destroy would close the pipes
        return process.onExit().join().exitValue();
    }

    @Override
    public void close() {
        List<ProcessHandle> children = process.descendants().toList();
        process.destroyForcibly();
        children.forEach(ProcessHandle::destroyForcibly);
        process.onExit().join();
    }
}
