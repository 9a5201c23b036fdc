package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.jar.Manifest;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.client.DetachMode;
import mayfly.attach.client.DetachRequest;
import mayfly.attach.client.ProfilerClient;
import mayfly.kit.Command;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.Requirement;
import mayfly.profilers.testing.ProbeResistingAgent;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The removal of probes while another agent transforms the class. */
class ProbeRemovalTest {
    private static final String WORK = ProbesTest.WORK;

    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    private Path agent() throws Exception {
        Manifest manifest = ProfilerJars.manifest("none", "1", "");
        manifest.getMainAttributes().putValue("Agent-Class", ProbeResistingAgent.class.getName());
        manifest.getMainAttributes().putValue("Premain-Class", ProbeResistingAgent.class.getName());
        manifest.getMainAttributes().putValue("Can-Retransform-Classes", "true");
        return ProfilerJars.jar(folder.resolve("agent.jar"), manifest);
    }

    /** Lets the agent change its mode, or retransform the class. */
    private static void act(Jvm jvm, Path agent, String mode) throws Exception {
        Command loaded = Command.run(
                Attached.LIMIT,
                Jdk.current().tool("jcmd").toString(),
                Long.toString(jvm.pid()),
                "JVMTI.agent_load",
                agent.toString(),
                mode + "," + WORK);
        assertThat(loaded.stdout()).as(loaded.evidence()).contains("return code: 0");
    }

    private static DetachRequest request(Jvm jvm, DetachMode mode) {
        return new DetachRequest(
                Math.toIntExact(jvm.pid()), mode, DetachRequest.Collections.ALWAYS, "the test", Attached.LIMIT);
    }

    private static void assertReports(Jvm jvm, Attached profiler) throws Exception {
        assertThat(profiler.ask("reset")).isEqualTo("OK");
        jvm.ask("run 10");
        assertThat(profiler.ask("totals").lines()).contains("calls-0 leaf 30 30 0", "calls-0 fails 10 6 4");
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"D-20", "D-21", "D-22"})
    void detachIsRefusedWhileTheJvmDoesNotRestoreTheCode(Jdk jdk) throws Exception {
        assertRefused(jdk, "resist");
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"D-20", "D-21", "D-22"})
    void detachIsRefusedWhileAnotherAgentKeepsAProbe(Jdk jdk) throws Exception {
        assertRefused(jdk, "keep");
    }

    private void assertRefused(Jdk jdk, String mode) throws Exception {
        try (Jvm jvm = ProbesTest.start(jdk)) {
            Attached profiler = ProbesTest.attach(jvm, folder, "");
            Path agent = agent();
            act(jvm, agent, "none");
            assertThat(profiler.ask("add " + WORK + ".*")).startsWith("added 8\n");
            assertReports(jvm, profiler);
            act(jvm, agent, mode);
            for (DetachMode each : List.of(DetachMode.ASK, DetachMode.FORCE)) {
                AttachFailed refused = Attached.failure(() -> ProfilerClient.detach(request(jvm, each)));
                assertThat(refused.status()).isEqualTo(Status.IRREVERSIBLE_INSTRUMENTATION);
                assertThat(DetachTest.status(jvm).state()).isEqualTo("active");
                assertReports(jvm, profiler);
            }
            assertThat(profiler.ask("detach")).startsWith("IRREVERSIBLE_INSTRUMENTATION ");
            assertThat(profiler.ask("remove " + WORK + ".*")).startsWith("IRREVERSIBLE_INSTRUMENTATION ");
            assertThat(profiler.ask("off")).startsWith("IRREVERSIBLE_INSTRUMENTATION ");
            assertThat(profiler.ask("probes").lines()).hasSize(8);
            assertReports(jvm, profiler);
            act(jvm, agent, "none");
            ProfilerClient.detach(request(jvm, DetachMode.ASK));
            assertThat(HostTrace.of(jvm)).isEmpty();
            assertThat(jvm.ask("run 10")).startsWith("calls-0 leaf 30 ");
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"I-09", "R-05"})
    void probesAreRefusedIfTheJvmRefusesTheChangedClass(Jdk jdk) throws Exception {
        try (Jvm jvm = ProbesTest.start(jdk)) {
            Attached profiler = ProbesTest.attach(jvm, folder, "");
            Path agent = agent();
            act(jvm, agent, "refuse");
            assertThat(profiler.ask("add " + WORK + ".*")).startsWith("FAILED ");
            assertThat(profiler.ask("probes")).isEmpty();
            act(jvm, agent, "none");
            assertThat(profiler.ask("add " + WORK + ".*")).startsWith("added 8\n");
            assertReports(jvm, profiler);
            ProbesTest.detach(jvm);
            assertThat(HostTrace.of(jvm)).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"before", "after"})
    @Requirement({"I-08", "I-09"})
    void probesStayWhenAnotherAgentRetransformsTheClass(String attached) throws Exception {
        for (Jdk jdk : AttachTest.hosts()) {
            try (Jvm jvm = ProbesTest.start(jdk)) {
                Path agent = agent();
                if (attached.equals("before")) {
                    act(jvm, agent, "none");
                }
                Attached profiler = ProbesTest.attach(jvm, folder, "");
                assertThat(profiler.ask("add " + WORK + ".*")).startsWith("added 8\n");
                act(jvm, agent, "retransform");
                assertReports(jvm, profiler);
                assertThat(profiler.ask("remove " + WORK + ".*")).isEqualTo("removed 8 frames 0 changed 0");
                act(jvm, agent, "retransform");
                assertThat(profiler.ask("probes")).isEmpty();
                ProbesTest.detach(jvm);
                assertThat(HostTrace.of(jvm)).isEmpty();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"I-08", "D-20"})
    void classThatAnotherAgentChangesMeanwhileIsReported(Jdk jdk) throws Exception {
        try (Jvm jvm = ProbesTest.start(jdk)) {
            Path agent = agent();
            Attached profiler = ProbesTest.attach(jvm, folder, "");
            act(jvm, agent, "none");
            assertThat(profiler.ask("add " + WORK + ".*")).startsWith("added 8\n");
            act(jvm, agent, "change");
            act(jvm, agent, "retransform");
            assertReports(jvm, profiler);
            assertThat(profiler.ask("remove " + WORK + ".*")).isEqualTo("removed 8 frames 0 changed 1");
            ProbesTest.detach(jvm);
            assertThat(HostTrace.of(jvm)).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"I-08", "I-09", "D-20"})
    void probeThatAnotherAgentTakesOutIsNeitherListedNorRemoved(Jdk jdk) throws Exception {
        try (Jvm jvm = ProbesTest.start(jdk)) {
            Path agent = agent();
            Attached profiler = ProbesTest.attach(jvm, folder, "");
            act(jvm, agent, "none");
            act(jvm, agent, "retransform"); // the agent keeps the class file without probes
            assertThat(profiler.ask("add " + WORK + ".*")).startsWith("added 8\n");
            assertThat(jvm.ask("hold")).isEqualTo("OK");
            act(jvm, agent, "drop");
            act(jvm, agent, "retransform");
            assertThat(profiler.ask("probes")).isEmpty();
            assertThat(profiler.ask("frames")).isEqualTo("1");
            assertThat(profiler.ask("reset")).isEqualTo("OK");
            jvm.ask("run 10");
            assertThat(profiler.ask("totals")).isEmpty();
            assertThat(profiler.ask("add " + WORK + ".*"))
                    .startsWith("added 0\n")
                    .contains("REPLACED_BY_AGENT 8 ");
            act(jvm, agent, "none");
            act(jvm, agent, "retransform");
            assertThat(profiler.ask("probes").lines()).hasSize(8);
            assertReports(jvm, profiler);
            act(jvm, agent, "drop");
            act(jvm, agent, "retransform");
            assertThat(profiler.ask("remove " + WORK + ".*")).isEqualTo("removed 0 frames 1 changed 0");
            assertThat(jvm.ask("release")).isEqualTo("OK");
            ProbesTest.detach(jvm);
            assertThat(HostTrace.of(jvm)).isEmpty();
        }
    }
}
