package mayfly.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import mayfly.cli.command.DemoCommand;
import mayfly.cli.launcher.Installation;
import mayfly.cli.output.Terminal;

/**
 * Runs the common commands once each while the JVM records the data for its startup cache during the build. Failures
 * are ignored, for example on a machine that does not permit profiling.
 */
final class Training {

    private Training() {}

    /** @param args a directory to write to */
    public static void main(String[] args) throws IOException {
        var nowhere = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
        var terminal = new Terminal(nowhere, System.err, false, false, false, Map.of());
        Path directory = Path.of(args[0]);
        Path capture = directory.resolve("training.mayfly");
        Path graph = directory.resolve("training.html");
        String[][] lines = {
            {"--help"},
            {"record", "--help"},
            {"ps", "--json"},
            {"doctor"},
            {"demo", "-d", "1s", "-o", graph.toString()},
            run("-d", "500ms", "-o", capture.toString(), "--json"),
            {"convert", capture.toString(), graph.toString()},
        };
        Main.loadSystemCalls();
        for (String[] line : lines) {
            run(line, terminal);
        }
        demo(terminal, capture);
        Files.deleteIfExists(capture);
        Files.deleteIfExists(graph);
    }

    /** Returns the command line that starts another JVM of this installation to print its version, and records it. */
    private static String[] run(String... options) {
        Stream<String> program = Stream.concat(Installation.current().java().stream(), Stream.of("-version"));
        return Stream.of(Stream.of("run"), Stream.of(options), Stream.of("--"), program)
                .flatMap(words -> words)
                .toArray(String[]::new);
    }

    private static void run(String[] line, Terminal terminal) {
        System.err.println(String.join(" ", line) + ": " + Main.start(line, terminal));
    }

    /** Starts the demo program, records it, dumps its stacks, and kills it. */
    private static void demo(Terminal terminal, Path capture) throws IOException {
        Process program = new ProcessBuilder(DemoCommand.program())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        String pid = Long.toString(program.pid());
        try {
            run(new String[] {"record", "-d", "500ms", "-o", capture.toString(), pid}, terminal);
            run(new String[] {"stack", pid}, terminal);
            run(new String[] {"stack", "--together", "--json", pid}, terminal);
        } finally {
            program.destroyForcibly();
        }
    }
}
