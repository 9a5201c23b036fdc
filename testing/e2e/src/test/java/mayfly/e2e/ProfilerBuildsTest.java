package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarOutputStream;
import java.util.zip.ZipEntry;
import javax.tools.ToolProvider;
import mayfly.api.Profiler;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
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
    /** The class file version of Java N is 44 + N. */
    private static final int BEFORE_JAVA_1 = 44;

    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    /** Compiles the profiler for a version of Java, and returns its jar, which is replaced by the next build. */
    private Path build(String answer, int java) throws IOException {
        Path source = folder.resolve("builds/Answering.java");
        Files.createDirectories(source.getParent());
        Files.writeString(source, SOURCE.formatted("%s", "%s", answer));
        String api = Profiler.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .getPath();
        int failed = ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, "--release", Integer.toString(java), "-cp", api, source.toString());
        assertThat(failed).isZero();
        byte[] built = Files.readAllBytes(folder.resolve("builds/Answering.class"));
        assertThat((int) built[7]).isEqualTo(BEFORE_JAVA_1 + java);
        Path jar = folder.resolve("answering.jar");
        try (OutputStream out = Files.newOutputStream(jar);
                JarOutputStream entries = new JarOutputStream(out, ProfilerJars.manifest(CLASS, "1", ""))) {
            entries.putNextEntry(new ZipEntry("builds/Answering.class"));
            entries.write(built);
        }
        return jar;
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
}
