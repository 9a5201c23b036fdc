package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.Manifest;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.profilers.testing.CountingAgent;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Several other tools are already in the JVM at the same time: a Java agent, a JFR recording, and async-profiler. */
class NeighboursTest {
    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void otherAgentsContinueAfterAttachAndDetach(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn")
                .on(jdk)
                .with("-javaagent:" + agent())
                .start()) {
            Path library = Neighbours.asyncProfiler(folder);
            Neighbours.load(jvm, library, "start,event=wall,interval=10ms,quiet");
            Neighbours.jcmd(jvm, "JFR.start", "name=neighbour");
            jvm.ask("churn");
            for (int i = 0; i < 2; i++) {
                Attached profiler = Attached.to(
                        jvm, folder, "THREADS CLASS_LOADS GARBAGE_COLLECTIONS COMPILED_METHODS STACK_SNAPSHOTS");
                assertThat(jvm.ask("load")).isEqualTo("a guest");
                assertThat(profiler.count("classLoaded")).isPositive();
                profiler.detach();
                assertThat(HostTrace.of(jvm)).isEmpty();
            }
            long shown = shown(jvm);
            assertThat(jvm.ask("load")).isEqualTo("a guest");
            assertThat(shown(jvm)).as("classes that the agent has seen").isGreaterThan(shown);
            Path recording = folder.resolve("neighbour.jfr");
            Neighbours.jcmd(jvm, "JFR.dump", "name=neighbour", "filename=" + recording);
            assertThat(Neighbours.summary(recording)).containsPattern("jdk\\.ThreadStart +[1-9]");
            Path stacks = folder.resolve("neighbour.collapsed");
            Neighbours.load(jvm, library, "stop,quiet,collapsed,file=" + stacks);
            assertThat(stacks).content().contains("mayfly/targets/ThreadAndClassChurn");
        }
    }

    private static long shown(Jvm jvm) {
        return Neighbours.jcmd(jvm, "VM.system_properties")
                .lines()
                .filter(line -> line.startsWith("mayfly.testing.shown="))
                .mapToLong(line -> Long.parseLong(line.substring(line.indexOf('=') + 1)))
                .findFirst()
                .orElseThrow();
    }

    private Path agent() throws Exception {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().putValue("Premain-Class", CountingAgent.class.getName());
        return ProfilerJars.jar(folder.resolve("agent.jar"), manifest);
    }
}
