package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The example that finds class-loader leaks, used as on its page. */
class LoaderLeaksExampleTest {
    private static final String LEAKY = "mayfly.targets.LeakyLoaders";

    @TempDir
    private Path state;

    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    private ExampleProfiler example;

    @BeforeEach
    void build() throws IOException {
        example = ExampleProfiler.of("loader-leaks", state);
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void leaksOfAStaticMapAndOfAThreadLocalAreFoundWithTheirPaths(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("LeakyLoaders").on(jdk).with("-Xmx64m").start()) {
            String pid = Long.toString(jvm.pid());
            jvm.ask("static plug-in");
            jvm.ask("thread-local");
            jvm.ask("weak");
            example.mayfly("attach", pid, "--profiler", example.jar().toString(), "--accept-lasting-cost");
            String leaks = example.mayfly("send", pid, "leaks " + LEAKY + "$Guest");
            assertThat(leaks.lines().filter(line -> line.contains(" such classes, among them " + LEAKY + "$Guest")))
                    .as(leaks)
                    .hasSize(2);
            assertThat(leaks)
                    .contains("    STATIC_FIELD registry -> java.util.HashMap\n")
                    .contains("    FIELD threadLocals -> java.lang.ThreadLocal$ThreadLocalMap\n")
                    .contains("    CLASS_LOADER -> " + LEAKY + "$Loader\n");
            jvm.ask("forget");
            assertThat(example.mayfly("send", pid, "leaks " + LEAKY + "$Guest"))
                    .startsWith("no loader has such classes");
            example.detach(pid);
            assertThat(HostTrace.of(jvm)).isEmpty();
        }
    }
}
