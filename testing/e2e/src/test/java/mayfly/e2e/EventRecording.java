package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import mayfly.kit.Command;
import mayfly.kit.Jvm;
import mayfly.kit.LaunchedMayfly;
import mayfly.kit.Patience;

/** A recording by the command line that lasts for as long as a program needs for its answers. */
final class EventRecording {
    private static final Duration LIMIT = Patience.of(Duration.ofSeconds(120));

    private EventRecording() {}

    /**
     * Records a program while it answers a line. Returns the answer.
     *
     * @param under a command that runs Mayfly, such as {@code setpriv} with its options; empty for none
     * @param event the event with the options that belong to it
     */
    static String during(Jvm jvm, String line, List<String> under, Path file, String... event) throws Exception {
        List<String> heeding = new ArrayList<>(under);
        heeding.addAll(List.of("env", "--default-signal=INT"));
        List<String> words = new ArrayList<>(List.of("record", "-d", "10m", "-o", file.toString(), "-e"));
        words.addAll(List.of(event));
        words.add(Long.toString(jvm.pid()));
        try (LaunchedMayfly mayfly = LaunchedMayfly.startUnder(heeding, words.toArray(String[]::new))) {
            mayfly.awaitStderr("sampling process", LIMIT);
            String answer = jvm.ask(line);
            Command.run(LIMIT, "kill", "-INT", Long.toString(mayfly.process().pid()));
            assertThat(mayfly.process().waitFor(LIMIT)).as(mayfly.stderr()).isTrue();
            assertThat(mayfly.process().exitValue()).as(mayfly.stderr()).isZero();
            return answer;
        }
    }

    /**
     * Starts a program and records it until it has answered some lines. Returns its answers.
     *
     * @param event the event with the options that belong to it
     */
    static List<String> ofStarted(List<String> program, List<String> lines, Path file, String... event)
            throws IOException {
        Path input = file.resolveSibling("lines");
        List<String> all = new ArrayList<>(lines);
        all.add("exit");
        Files.write(input, all);
        List<String> words = new ArrayList<>(List.of("run", "-o", file.toString(), "-e"));
        words.addAll(List.of(event));
        words.addAll(List.of("--", "sh", "-c", "exec \"$@\" < " + input, "sh"));
        words.addAll(program);
        Command run = LaunchedMayfly.run(LIMIT, file.getParent(), words.toArray(String[]::new));
        assertThat(run.exitCode()).as(run.stderr()).isZero();
        return run.stdout().lines().filter(line -> !line.startsWith("READY")).toList();
    }
}
