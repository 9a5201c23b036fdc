package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.jar.JarOutputStream;
import java.util.zip.ZipEntry;
import javax.tools.ToolProvider;
import mayfly.api.Profiler;
import mayfly.api.Status;
import mayfly.attach.client.Acceptance;
import mayfly.attach.client.ProfilerClient;
import mayfly.attach.client.ProfilerJar.ApiPolicy;
import mayfly.attach.launch.LaunchFiles;
import mayfly.attach.launch.LaunchRequest;
import mayfly.kit.Command;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.Partly;
import mayfly.kit.Requirement;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Several builds of one profiler, compiled by the test. */
class ProfilerBuildsTest {
    private static final String CLASS = "builds.Answering";
    private static final String SOURCE = """
        package builds;

        public final class Answering implements mayfly.api.Profiler {
            @Override
            public byte[] command(byte[] command) {
                return "%s on Java %s".formatted("%s", Runtime.version().feature()).getBytes();
            }
        }
        """;
    private static final String LATER_API = """
        package mayfly.api;

        public interface ProfilerInfo {
            String methodOfALaterVersion();
        }
        """;
    private static final String LATER_SOURCE = """
        package builds;

        public final class Answering implements mayfly.api.Profiler {
            private mayfly.api.ProfilerInfo info;

            @Override
            public void initializeForAttach(mayfly.api.ProfilerInfo info, java.util.Optional<byte[]> data) {
                this.info = info;
            }

            @Override
            public void initialize(mayfly.api.ProfilerInfo info) {
                this.info = info;
            }

            @Override
            public byte[] command(byte[] command) {
                return command.length == 0 ? info.methodOfALaterVersion().getBytes() : command;
            }
        }
        """;
    /** The class file version of Java N is 44 + N. */
    private static final int BEFORE_JAVA_1 = 44;

    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    private static String api() {
        return Profiler.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .getPath();
    }

    private void compile(String file, String content, int java, String classPath) throws IOException {
        Path source = folder.resolve(file);
        Files.createDirectories(source.getParent());
        Files.writeString(source, content);
        int failed = ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, "--release", Integer.toString(java), "-cp", classPath, source.toString());
        assertThat(failed).isZero();
    }

    /** Compiles the profiler for a version of Java, and returns its jar, which is replaced by the next build. */
    private Path build(String answer, int java) throws IOException {
        compile("builds/Answering.java", SOURCE.formatted("%s", "%s", answer), java, api());
        byte[] built = Files.readAllBytes(folder.resolve("builds/Answering.class"));
        assertThat((int) built[7]).isEqualTo(BEFORE_JAVA_1 + java);
        return pack(built, "1");
    }

    private Path pack(byte[] built, String api) throws IOException {
        Path jar = folder.resolve("answering.jar");
        try (OutputStream out = Files.newOutputStream(jar);
                JarOutputStream entries = new JarOutputStream(out, ProfilerJars.manifest(CLASS, api, ""))) {
            entries.putNextEntry(new ZipEntry("builds/Answering.class"));
            entries.write(built);
        }
        return jar;
    }

    /** Compiles a profiler against an api with a method that this version lacks, and declares that it needs it. */
    private Path buildForALaterApi() throws IOException {
        compile("later/mayfly/api/ProfilerInfo.java", LATER_API, 17, api());
        compile("builds/Answering.java", LATER_SOURCE, 17, folder.resolve("later") + ":" + api());
        return pack(Files.readAllBytes(folder.resolve("builds/Answering.class")), "2");
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("D-12")
    void newerBuildOfTheSameProfilerIsAttachedAfterTheOlderOne(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Idle").on(jdk).start()) {
            for (String build : List.of("first", "second", "third")) {
                Attached profiler = Attached.by(Attached.request(jvm, build(build, 17), ""));
                assertThat(profiler.ask("which")).isEqualTo(build + " on Java " + jdk.feature());
                profiler.detach();
                HostTrace.awaitNone(jvm);
            }
        }
    }

    /** The api has one version, against which the profilers of all JDKs are compiled. */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("X-11")
    void profilerBuiltForTheOldestJavaRunsOnLaterOnes(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Idle").on(jdk).start()) {
            Attached profiler = Attached.by(Attached.request(jvm, build("built for 17", 17), ""));
            assertThat(profiler.ask("which")).isEqualTo("built for 17 on Java " + jdk.feature());
            profiler.detach();
        }
    }

    /** Asserts that the profiler answers, that the call that this Mayfly lacks fails, and that it can be detached. */
    private static void assertWorksExceptForTheLaterCall(Jvm jvm) throws Exception {
        String pid = Long.toString(jvm.pid());
        Command known = CommandLine.run("send", pid, "hello");
        assertThat(known.stdout()).as(known.evidence()).isEqualTo("hello");
        Command later = CommandLine.run("send", pid, "");
        assertThat(later.exitCode()).as(later.evidence()).isEqualTo(10 + Status.FAILED.number());
        assertThat(later.stderr()).contains("NoSuchMethodError", "methodOfALaterVersion");
        Command detach = CommandLine.run("detach", pid);
        assertThat(detach.exitCode()).as(detach.evidence()).isZero();
    }

    /** There is no older version of the api; a unit test has the rule for one. */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("X-18")
    @Partly("X-18: the api has had one version, so that no profiler is built for an older one")
    void profilerBuiltForALaterApiIsAttachedIfThePolicyAcceptsIt(Jdk jdk) throws Exception {
        Path jar = buildForALaterApi();
        try (Jvm jvm = Jvm.run("Idle").on(jdk).start()) {
            String pid = Long.toString(jvm.pid());
            for (String[] refusing : new String[][] {{}, {"--api", "older"}, {"--api", "same"}}) {
                Command refused = attach(pid, jar, refusing);
                assertThat(refused.exitCode()).as(refused.evidence()).isEqualTo(10 + Status.ATTACH_REFUSED.number());
                assertThat(refused.stderr())
                        .contains("needs version 2 of the api; this Mayfly supports version 1 (--api any accepts it)");
                assertThat(ProfilerClient.status(Math.toIntExact(jvm.pid()))).isEmpty();
            }
            Command wrong = attach(pid, jar, "--api", "newest");
            assertThat(wrong.stderr()).contains("'newest' is not a policy; use same, older or any");
            Command accepted = attach(pid, jar, "--api", "any");
            assertThat(accepted.exitCode()).as(accepted.evidence()).isZero();
            assertWorksExceptForTheLaterCall(jvm);
            HostTrace.awaitNone(jvm);
            for (String policy : List.of("same", "older", "any")) {
                Command same = attach(pid, build("of this version", 17), "--api", policy);
                assertThat(same.exitCode()).as(same.evidence()).isZero();
                assertThat(CommandLine.run("detach", pid).exitCode()).isZero();
            }
        }
    }

    private static Command attach(String pid, Path jar, String... more) {
        List<String> words = new ArrayList<>(List.of("attach", pid, "--profiler", jar.toString()));
        words.addAll(List.of(more));
        return CommandLine.run(words.toArray(String[]::new));
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("X-18")
    void profilerBuiltForALaterApiIsLaunchedIfThePolicyAcceptsIt(Jdk jdk) throws Exception {
        Path jar = buildForALaterApi();
        assertThatThrownBy(() -> LaunchFiles.temporary(launch(jar, ApiPolicy.OLDER)))
                .hasMessageContaining("needs version 2 of the api");
        LaunchFiles files = LaunchFiles.temporary(launch(jar, ApiPolicy.ANY));
        try (Jvm jvm = Jvm.run("Idle")
                .on(jdk)
                .environment("JAVA_TOOL_OPTIONS", files.option())
                .start()) {
            assertWorksExceptForTheLaterCall(jvm);
        } finally {
            files.remove();
        }
    }

    private static LaunchRequest launch(Path jar, ApiPolicy policy) {
        return new LaunchRequest(
                jar, Optional.empty(), Attached.LIMIT, Set.of(Acceptance.LASTING_COST), policy, Set.of());
    }
}
