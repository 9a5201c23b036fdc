package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import mayfly.kit.Command;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Probes in and out many times, in a program whose threads call the probed methods meanwhile. Another agent hashes the
 * bytecodes that the JVM executes, so the JVM has the agent from the start: its environments stay.
 */
class ProbeCyclesTest {
    private static final String WORK = ProbesTest.WORK;
    private static final int THREADS = 8;

    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    private static int hash(Jvm jvm, Path agent) {
        Command done = Command.run(
                Attached.LIMIT,
                Jdk.current().tool("jcmd").toString(),
                Long.toString(jvm.pid()),
                "JVMTI.agent_load",
                agent.toString(),
                WORK.replace('.', '/'));
        Matcher result = Pattern.compile("return code: (-?\\d+)").matcher(done.stdout());
        assertThat(result.find()).as(done.evidence()).isTrue();
        int hash = Integer.parseInt(result.group(1));
        assertThat(hash).as("errors are negative").isPositive();
        return hash;
    }

    private void cycle(Jdk jdk, int rounds) throws Exception {
        Path agent = CSource.library("bytecodes");
        try (Jvm jvm = Jvm.run("ProbedCalls").on(jdk).with("-Xmx128m").start()) {
            int before = hash(jvm, agent);
            assertThat(jvm.ask("load " + THREADS)).isEqualTo("OK");
            Attached profiler = ProbesTest.attach(jvm, folder, "");
            assertThat(profiler.ask("mode sum")).isEqualTo("OK");
            for (int i = 0; i < rounds; i++) {
                assertThat(profiler.ask("add " + WORK + ".*")).as("round %d", i).startsWith("added 8\n");
                if (i == 0) {
                    assertThat(hash(jvm, agent)).as("the hash sees the probes").isNotEqualTo(before);
                }
                assertThat(profiler.ask("remove " + WORK + ".*"))
                        .as("round %d", i)
                        .endsWith(" changed 0");
            }
            assertThat(profiler.ask("totals")).contains("all leaf ");
            ProbesTest.detach(jvm);
            assertThat(hash(jvm, agent)).isEqualTo(before);
            String[] rates = jvm.ask("unload").split(" ");
            assertThat(Long.parseLong(rates[0])).isPositive();
            assertThat(rates[1]).as("wrong results of the program").isEqualTo("0");
            HostTrace.awaitNone(jvm);
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void programUnderLoadHasItsCodeAfterProbes(Jdk jdk) throws Exception {
        cycle(jdk, 5);
    }

    @Tag("deep")
    @ParameterizedTest
    @MethodSource("jdks")
    void programUnderLoadHasItsCodeAfter200RoundsOfProbes(Jdk jdk) throws Exception {
        cycle(jdk, 200);
    }
}
