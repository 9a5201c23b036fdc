package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import mayfly.kit.Command;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.LaunchedMayfly;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The example that finds class-loader leaks, used as on its page. */
class LoaderLeaksTest {
    private static final String LEAKY = "mayfly.targets.LeakyLoaders";

    @TempDir
    private Path state;

    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    private Path jar;

    @BeforeEach
    void build() throws IOException {
        ProfilerJars.requireHost();
        jar = Example.named("loader-leaks").jar();
    }

    private String mayfly(String... arguments) {
        Command done = LaunchedMayfly.runWithState(state, Attached.LIMIT, arguments);
        assertThat(done.exitCode()).as(done.evidence()).isZero();
        return done.stdout();
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void leaksOfAStaticMapAndOfAThreadLocalAreFoundWithTheirPaths(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("LeakyLoaders").on(jdk).with("-Xmx64m").start()) {
            String pid = Long.toString(jvm.pid());
            jvm.ask("static plug-in");
            jvm.ask("thread-local");
            jvm.ask("weak");
            mayfly("attach", pid, "--profiler", jar.toString(), "--accept-lasting-cost");
            String leaks = mayfly("send", pid, "leaks " + LEAKY + "$Guest");
            assertThat(leaks.lines().filter(line -> line.contains(" such classes, among them " + LEAKY + "$Guest")))
                    .as(leaks)
                    .hasSize(2);
            assertThat(leaks)
                    .contains("    STATIC_FIELD registry -> java.util.HashMap\n")
                    .contains("    FIELD threadLocals -> java.lang.ThreadLocal$ThreadLocalMap\n")
                    .contains("    CLASS_LOADER -> " + LEAKY + "$Loader\n");
            jvm.ask("forget");
            assertThat(mayfly("send", pid, "leaks " + LEAKY + "$Guest")).startsWith("no loader has such classes");
            // A running compilation of the profiler's code retains it, and takes seconds on a busy machine.
            mayfly("detach", pid, "--collect", "--timeout", Attached.LIMIT.toSeconds() + "s");
            assertThat(HostTrace.of(jvm)).isEmpty();
        }
    }
}
