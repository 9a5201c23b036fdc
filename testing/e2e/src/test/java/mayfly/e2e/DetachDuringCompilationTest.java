package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import mayfly.attach.client.DetachMode;
import mayfly.attach.client.DetachRequest;
import mayfly.attach.client.ProfilerClient;
import mayfly.kit.Command;
import mayfly.kit.Deadline;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.Requirement;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A detach while the JVM compiles a method of the profiler. The JVM repeats the compilation, so that it takes as long
 * as the test needs.
 */
class DetachDuringCompilationTest {
    /** Some seconds of CPU time. */
    private static final int LONG = 1_000;

    /** More than the test takes; the JVM is killed before. */
    private static final int ENDLESS = 100_000_000;

    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    private static Jvm startWithRepeatedCompilations(Jdk jdk, int times) {
        return Jvm.run("ThreadAndClassChurn")
                .on(jdk)
                .with(
                        "-XX:+UnlockDiagnosticVMOptions",
                        "-XX:CompileCommand=quiet",
                        "-XX:CompileCommand=RepeatCompilation,mayfly.profilers.testing.ScriptedProfiler::command,"
                                + times)
                .start();
    }

    /** Attaches the profiler, and calls its method until the JVM compiles it. */
    private Attached attachAndCompile(Jvm jvm) throws Exception {
        Attached profiler = Attached.to(jvm, folder, "CLASS_LOADS");
        Deadline deadline = Deadline.in(Attached.LIMIT);
        while (!isCompiled(jvm)) {
            profiler.ask("repeat 1000 echo x");
            deadline.check("the method is not compiled");
        }
        return profiler;
    }

    private static boolean isCompiled(Jvm jvm) throws Exception {
        Command queue = Command.run(
                Attached.LIMIT, Jdk.current().tool("jcmd").toString(), Long.toString(jvm.pid()), "Compiler.queue");
        String running = queue.stdout().replaceFirst("(?s)compile queue:.*", "");
        assertThat(running).as(queue.evidence()).contains("Current compiles:");
        return running.contains("ScriptedProfiler::command");
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("D-14")
    void compilationOfTheProfilerIsNamedAndAwaited(Jdk jdk) throws Exception {
        try (Jvm jvm = startWithRepeatedCompilations(jdk, LONG)) {
            assertThat(attachAndCompile(jvm).ask("detach")).isEqualTo("OK");
            assertThat(DetachTest.await(jvm, "pinned").pinnedBy())
                    .isEqualTo("a running compilation of its code, or native code: a global reference to its class"
                            + " loader");
            Deadline deadline = Deadline.in(Attached.LIMIT);
            while (!HostTrace.of(jvm).isEmpty()) {
                deadline.check("still there: %s", HostTrace.of(jvm));
            }
        }
    }

    /** Both retain the profiler. The heap search begins at the class loader, to which the compilation refers. */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("D-14")
    void retainerIsNamedWhileACompilationRuns(Jdk jdk) throws Exception {
        try (Jvm jvm = startWithRepeatedCompilations(jdk, ENDLESS)) {
            Attached profiler = attachAndCompile(jvm);
            assertThat(profiler.ask("bean")).isEqualTo("registered");
            assertThat(profiler.ask("detach")).isEqualTo("OK");
            DetachTest.await(jvm, "pinned");
            assertThat(DetachTest.path(jvm))
                    .contains("com.sun.jmx.")
                    .contains(" mayfly.profilers.testing.ScriptedProfiler$Bean");
            assertThat(jvm.ask("forget")).isEqualTo("forgotten");
            Deadline deadline = Deadline.in(Attached.LIMIT);
            while (!DetachTest.status(jvm).pinnedBy().startsWith("a running compilation of its code")) {
                deadline.check(DetachTest.status(jvm).pinnedBy());
            }
        }
    }

    /** The last of the permitted collections is requested after the compilation. */
    @ParameterizedTest
    @MethodSource("jdks")
    void permittedCollectionsAreNotUsedUpWhileACompilationRuns(Jdk jdk) throws Exception {
        try (Jvm jvm = startWithRepeatedCompilations(jdk, LONG)) {
            attachAndCompile(jvm);
            DetachRequest detach = new DetachRequest(
                    Math.toIntExact(jvm.pid()),
                    DetachMode.ASK,
                    DetachRequest.Collections.ALWAYS,
                    "the test",
                    Attached.LIMIT);
            assertThat(ProfilerClient.detach(detach).collections()).isEqualTo(3);
            assertThat(HostTrace.of(jvm)).isEmpty();
        }
    }
}
