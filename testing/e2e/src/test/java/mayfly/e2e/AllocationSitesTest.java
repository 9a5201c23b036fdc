package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import mayfly.api.Status;
import mayfly.kit.Command;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.Requirement;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The example for allocations, used as on its page. */
class AllocationSitesTest {
    private static final Pattern SMALL =
            Pattern.compile("(?m)^(\\d+)\\.\\d MiB\\t\\d+ %\\tmayfly\\.targets\\.Allocations\\.allocateSmall:\\d+"
                    + "\\tmayfly\\.targets\\.Allocations\\$Small$");

    @TempDir
    private Path state;

    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    private ExampleProfiler example;

    @BeforeEach
    void build() throws IOException {
        example = ExampleProfiler.of("allocation-sites", state);
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"R-06", "D-13"})
    void sitesThatAllocateMostAreListedFirst(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Allocations").on(jdk).with("-Xmx64m").start()) {
            String pid = Long.toString(jvm.pid());
            String before = state.resolve("before.audit").toString();
            example.mayfly("audit", pid, "--save", before);
            example.mayfly(
                    "attach", pid, "--profiler", example.jar().toString(), "--data", "16384", "--accept-lasting-cost");
            assertThat(jvm.ask("allocate small 128")).isEqualTo(Integer.toString(128 << 20));
            jvm.ask("allocate strings 32");
            String top = example.mayfly("send", pid, "top");
            assertThat(top.lines().skip(1)).first().asString().matches(SMALL);
            Matcher small = SMALL.matcher(top);
            assertThat(small.find()).isTrue();
            assertThat(Integer.parseInt(small.group(1))).isBetween(120, 136);
            assertThat(top)
                    .containsPattern("allocateStrings:\\d+\\tjava.lang.String")
                    .containsPattern("allocateStrings:\\d+\\t\\[B");
            example.detach(pid);
            assertThat(example.mayfly("audit", pid, "--compare", before))
                    .containsAnyOf(
                            "\nnothing is different",
                            "\nonly items that may remain are left",
                            "\nno leftover was found; changed, by the program");
            assertThat(HostTrace.of(jvm)).isEmpty();
        }
    }

    @Test
    void dataThatAreNoIntervalAreRefusedWithoutEffect() throws Exception {
        try (Jvm jvm = Jvm.run("Allocations").with("-Xmx64m").start()) {
            String pid = Long.toString(jvm.pid());
            for (String data : List.of("often", "1000")) {
                Command refused = example.run(
                        "attach", pid, "--profiler", example.jar().toString(), "--data", data, "--accept-lasting-cost");
                assertThat(refused.exitCode()).as(refused.evidence()).isEqualTo(10 + Status.FAILED.number());
                assertThat(refused.stderr()).containsAnyOf("not often", "from 1 KiB to 1 GiB, not 1000 bytes");
                HostTrace.awaitNone(jvm);
            }
        }
    }
}
