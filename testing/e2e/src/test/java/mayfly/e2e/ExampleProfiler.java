package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import mayfly.kit.Command;
import mayfly.kit.LaunchedMayfly;
import mayfly.kit.Patience;

/**
 * The profiler of an example, and Mayfly with its state in a folder of the test.
 *
 * @param jar the jar of the profiler
 * @param state the folder of the state
 */
record ExampleProfiler(Path jar, Path state) {
    static final Duration LIMIT = Patience.of(Duration.ofSeconds(60));

    /** Builds the profiler. Skips the test if there is no host to attach it. */
    static ExampleProfiler of(String example, Path state) throws IOException {
        ProfilerJars.requireHost();
        return new ExampleProfiler(Example.named(example).jar(), state);
    }

    Command run(String... arguments) {
        return LaunchedMayfly.runWithState(state, LIMIT, arguments);
    }

    /** Runs a command that succeeds, and returns its output. */
    String mayfly(String... arguments) {
        Command done = run(arguments);
        assertThat(done.exitCode()).as(done.evidence()).isZero();
        return done.stdout();
    }

    /** Detaches the profiler. A running compilation of its code retains it, and takes seconds on a busy machine. */
    void detach(String pid) {
        mayfly("detach", pid, "--collect", "--timeout", LIMIT.toSeconds() + "s");
    }
}
