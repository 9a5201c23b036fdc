package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.Manifest;
import mayfly.kit.Command;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.Patience;
import mayfly.profilers.testing.CountingAgent;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Several other tools are already in the JVM at the same time: a Java agent, a JFR recording, and async-profiler. */
class NeighboursTest {
    private static final Duration LIMIT = Patience.of(Duration.ofSeconds(60));

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
            Path library = asyncProfiler();
            jcmd(jvm, "JVMTI.agent_load", library.toString(), "\"start,event=wall,interval=10ms,quiet\"");
            jcmd(jvm, "JFR.start", "name=neighbour");
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
            jcmd(jvm, "JFR.dump", "name=neighbour", "filename=" + recording);
            Command summary = Command.run(LIMIT, Jdk.current().tool("jfr").toString(), "summary", recording.toString());
            assertThat(summary.exitCode()).as(summary.evidence()).isZero();
            assertThat(summary.stdout()).containsPattern("jdk\\.ThreadStart +[1-9]");
            Path stacks = folder.resolve("neighbour.collapsed");
            jcmd(jvm, "JVMTI.agent_load", library.toString(), "\"stop,quiet,collapsed,file=" + stacks + "\"");
            assertThat(stacks).content().contains("mayfly/targets/ThreadAndClassChurn");
        }
    }

    private static void jcmd(Jvm jvm, String... words) {
        command(jvm, words);
    }

    private static Command command(Jvm jvm, String... words) {
        String[] line = new String[words.length + 2];
        line[0] = Jdk.current().tool("jcmd").toString();
        line[1] = Long.toString(jvm.pid());
        System.arraycopy(words, 0, line, 2, words.length);
        Command done = Command.run(LIMIT, line);
        assertThat(done.exitCode()).as(done.evidence()).isZero();
        return done;
    }

    private static long shown(Jvm jvm) {
        return command(jvm, "VM.system_properties")
                .stdout()
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

    private Path asyncProfiler() throws Exception {
        try (InputStream in = ClassLoader.getSystemResourceAsStream("linux-x64/libasyncProfiler.so")) {
            assumeTrue(in != null, "no async-profiler on the class path");
            Path library = folder.resolve("libasyncProfiler.so");
            Files.copy(in, library);
            return library;
        }
    }
}
