package mayfly.e2e;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import mayfly.cli.Main;
import mayfly.cli.output.Terminal;
import mayfly.kit.Command;
import mayfly.kit.LaunchedMayfly;
import mayfly.kit.Patience;

/**
 * Runs commands of Mayfly in this JVM, which takes less time than a {@linkplain LaunchedMayfly launch}. A test of the
 * launcher, of the standard streams, of the current folder, of other privileges, or of the end of Mayfly launches it.
 */
final class CommandLine {
    private static final Duration LIMIT = Patience.of(Duration.ofMinutes(3));

    private CommandLine() {}

    /**
     * Runs a command on a process given by its id to its end. Fails if it takes longer than three minutes. Any other
     * command is launched: it looks at all processes, and one that does not respond may block or end its JVM.
     */
    static Command run(String... arguments) {
        if (Stream.of(arguments).noneMatch(argument -> argument.matches("\\d+"))) {
            return LaunchedMayfly.run(arguments);
        }
        var out = new ByteArrayOutputStream();
        var err = new ByteArrayOutputStream();
        var terminal = new Terminal(
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                false,
                false,
                false,
                Map.of());
        List<String> command = new ArrayList<>(List.of("mayfly"));
        command.addAll(List.of(arguments));
        var exitCode = new AtomicInteger(-1);
        long began = System.nanoTime();
        // A thread of its own: the thread that stops a target has to release it, and ends after that.
        Thread thread =
                Thread.ofPlatform().daemon().name("mayfly").start(() -> exitCode.set(Main.run(arguments, terminal)));
        boolean ended;
        try {
            ended = thread.join(LIMIT);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while running " + command, e);
        }
        var result = new Command(
                List.copyOf(command),
                exitCode.get(),
                text(out),
                text(err),
                Duration.ofNanos(System.nanoTime() - began));
        if (!ended) {
            throw new AssertionError("still running after " + LIMIT + "\n" + result.evidence());
        }
        return result;
    }

    /** Returns the lines without the end of the last one, as {@link LaunchedMayfly} does. */
    private static String text(ByteArrayOutputStream bytes) {
        return String.join("\n", bytes.toString(StandardCharsets.UTF_8).lines().toList());
    }
}
