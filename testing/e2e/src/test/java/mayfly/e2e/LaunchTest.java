package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.client.Acceptance;
import mayfly.attach.client.ProfilerClient;
import mayfly.attach.launch.LaunchFiles;
import mayfly.attach.launch.LaunchRequest;
import mayfly.kit.Deadline;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.Requirement;
import mayfly.profilers.testing.ScriptedProfiler;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A JVM that starts with a profiler. */
class LaunchTest {
    private static final String VARIABLE = "JAVA_TOOL_OPTIONS";
    private static final String WITHOUT = "mayfly: this JVM runs without the profiler: ";
    private static final int CYCLES = Scale.count(1, 20);

    @TempDir
    private Path folder;

    private final List<LaunchFiles> made = new ArrayList<>();

    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    @AfterEach
    void nothingOfItStays() throws Exception {
        for (LaunchFiles files : made) {
            assertThat(files.remove())
                    .as("processes that have it in their environment")
                    .isEmpty();
            assertThat(files.folder()).doesNotExist();
        }
    }

    private LaunchFiles files(Path jar, Duration timeout, Acceptance... accepted) throws AttachFailed {
        LaunchFiles files = LaunchFiles.temporary(new LaunchRequest(jar, Optional.empty(), timeout, Set.of(accepted)));
        made.add(files);
        return files;
    }

    private Path scripted() throws Exception {
        return ProfilerJars.scripted(folder, ProfilerJars.ALL_EVENTS);
    }

    /** Returns a plan of ThreadAndClassChurn with this launch option and this script of its profiler. */
    private static Jvm.Plan program(Jdk jdk, String option, String script) {
        return Jvm.run("ThreadAndClassChurn")
                .on(jdk)
                .with("-Dmayfly.testing.script=" + script)
                .environment(VARIABLE, option);
    }

    private static int pid(Jvm jvm) {
        return Math.toIntExact(jvm.pid());
    }

    private static String ask(Jvm jvm, String command) throws Exception {
        return new String(ProfilerClient.send(pid(jvm), command.getBytes(), Attached.LIMIT));
    }

    /** Asserts that only the library that the JVM lists is left. */
    private static void assertOnlyTheLibrary(Jvm jvm) throws Exception {
        assertThat(HostTrace.of(jvm)).isNotEmpty().allMatch(line -> line.contains("/libmayflylaunch.so"));
    }

    /** The program's maps have the libraries as long as it runs. */
    private static void assertOnlyTheLibraries(Jvm jvm, String... names) throws Exception {
        assertThat(HostTrace.of(jvm))
                .isNotEmpty()
                .allMatch(line -> Arrays.stream(names).anyMatch(line::contains));
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"A-14", "A-16", "X-12"})
    void launchedProfilerSeesEveryClassOfTheProgram(Jdk jdk) throws Exception {
        Path log = folder.resolve("loaded");
        String option =
                files(scripted(), Attached.LIMIT, Acceptance.LASTING_COST).option();
        try (Jvm jvm = program(jdk, option, "CLASS_LOADS THREADS")
                .with("-Xlog:class+load:file=" + log)
                .start()) {
            assertThat(jvm.ask("load")).isEqualTo("a guest");
            assertThat(jvm.stderr()).contains("Picked up " + VARIABLE + ": " + option);
            List<String> told = ask(jvm, "told").lines().toList();
            List<String> ofTheProgram = Files.readAllLines(log).stream()
                    .map(line -> line.replaceFirst("^(\\[[^]]*\\])+ *", ""))
                    .filter(line -> line.startsWith("mayfly.targets."))
                    .map(line -> line.replaceFirst(" .*", ""))
                    .toList();
            assertThat(ofTheProgram).contains("mayfly.targets.ThreadAndClassChurn", "mayfly.targets.LineProtocol");
            assertThat(told).containsAll(ofTheProgram).contains("sun.launcher.LauncherHelper");
            assertThat(ProfilerClient.status(pid(jvm))).hasValueSatisfying(status -> {
                assertThat(status.state()).isEqualTo("active");
                assertThat(status.profiler()).isEqualTo(ScriptedProfiler.class.getName());
            });
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("D-23")
    void launchedProfilerIsDetachedAndAnotherIsAttached(Jdk jdk) throws Exception {
        String option =
                files(scripted(), Attached.LIMIT, Acceptance.LASTING_COST).option();
        try (Jvm jvm =
                program(jdk, option, "CLASS_LOADS THREADS GARBAGE_COLLECTIONS").start()) {
            assertThat(HostTrace.of(jvm))
                    .contains("thread Mayfly host")
                    .anyMatch(line -> line.startsWith("descriptor /memfd:mayfly-host-"));
            jvm.ask("churn");
            ProfilerClient.detach(pid(jvm), "the test is over", Attached.LIMIT);
            assertOnlyTheLibrary(jvm);
            for (int i = 0; i < CYCLES; i++) {
                Attached another = Attached.to(jvm, folder, "CLASS_LOADS THREADS GARBAGE_COLLECTIONS");
                assertThat(another.ask("data")).startsWith("39 ");
                another.detach();
                assertOnlyTheLibrary(jvm);
            }
            assertThat(jvm.exit()).isZero();
        }
    }

    /** The JVM has no attach listener yet that could request a collection. */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("D-23")
    void launchedProfilerIsDetachedWithDisableExplicitGc(Jdk jdk) throws Exception {
        String option =
                files(scripted(), Attached.LIMIT, Acceptance.LASTING_COST).option();
        try (Jvm jvm = program(jdk, option, "").with("-XX:+DisableExplicitGC").start()) {
            ProfilerClient.detach(pid(jvm), "the test is over", Attached.LIMIT);
            assertOnlyTheLibrary(jvm);
        }
    }

    /**
     * A JVM that the program starts does not get the option, because its files may be gone by then. The user's own
     * options remain.
     */
    @ParameterizedTest
    @MethodSource("jdks")
    void addedEnvironmentOptionIsRemovedInTheTarget(Jdk jdk) throws Exception {
        String option =
                files(scripted(), Attached.LIMIT, Acceptance.LASTING_COST).option();
        try (Jvm jvm = program(jdk, option, "").start()) {
            assertThat(jvm.ask("environment " + VARIABLE)).isEqualTo("null");
        }
        try (Jvm jvm = program(jdk, "-Dmine=1 " + option + " -Dmine=2", "").start()) {
            assertThat(jvm.ask("environment " + VARIABLE)).isEqualTo("-Dmine=1 -Dmine=2");
            assertThat(ask(jvm, "echo there")).isEqualTo("there");
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void userFolderServesChildProcessesToo(Jdk jdk) throws Exception {
        LaunchFiles files = LaunchFiles.in(
                folder.resolve("mine"),
                new LaunchRequest(scripted(), Optional.empty(), Attached.LIMIT, Set.of(Acceptance.LASTING_COST)));
        try (Jvm jvm = program(jdk, files.option(), "").start()) {
            assertThat(ask(jvm, "echo there")).isEqualTo("there");
            assertThat(jvm.ask("environment " + VARIABLE)).isEqualTo(files.option());
            assertThat(files.remove()).as("its names are in use").containsExactly(jvm.pid());
            assertThat(Checks.files(files.folder())).hasSize(2);
        }
        assertThat(files.remove()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("A-25")
    void failingProfilerIsReportedAndTheProgramRuns(Jdk jdk) throws Exception {
        String option =
                files(scripted(), Attached.LIMIT, Acceptance.LASTING_COST).option();
        for (String[] failing : new String[][] {
            {"THREADS throw", "java.lang.IllegalStateException: thrown as requested"},
            {"decline", "declined as requested"},
            {"throw-complete", "completion failed as requested"}
        }) {
            try (Jvm jvm = program(jdk, option, failing[0]).start()) {
                assertSaid(jvm, failing[1]);
                awaitOnlyTheLibrary(jvm);
                Attached.to(jvm, folder, "").detach();
                assertThat(jvm.exit()).isZero();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("A-25")
    void jvmThatCannotOpenTheLaunchLibraryRunsWithoutTheProfilerIfItIsPreloaded(Jdk jdk) throws Exception {
        LaunchFiles files = files(scripted(), Attached.LIMIT, Acceptance.LASTING_COST);
        String preload = files.preload().toString();
        Path library = files.folder().resolve("libmayflylaunch.so");
        byte[] content = Files.readAllBytes(library);
        Files.delete(library);
        try (Jvm jvm = preloaded(jdk, preload).start()) {
            assertSaid(jvm, library + " cannot be opened");
            assertThat(jvm.ask("environment " + VARIABLE)).isEqualTo("null");
            assertOnlyTheLibraries(jvm, "/libmayflypreload.so");
            assertThat(jvm.exit()).isZero();
        }
        try (Jvm jvm = preloaded(jdk, preload + ".missing").start()) {
            assertThat(jvm.stderr()).contains("cannot be preloaded").doesNotContain("mayfly: ");
            assertThat(jvm.exit()).isZero();
        }
        Files.write(library, content);
        try (Jvm jvm = preloaded(jdk, preload).start()) {
            assertThat(ask(jvm, "echo there")).isEqualTo("there");
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void preloadedProfilerLeavesTheProgramsVariablesAsTheyWere(Jdk jdk) throws Exception {
        String preload = files(scripted(), Attached.LIMIT, Acceptance.LASTING_COST)
                .preload()
                .toString();
        try (Jvm jvm = preloaded(jdk, preload + ":/mine.so")
                .environment(VARIABLE, "-Dmine=1")
                .start()) {
            assertThat(ask(jvm, "echo there")).isEqualTo("there");
            assertThat(jvm.ask("environment " + VARIABLE)).isEqualTo("-Dmine=1");
            assertThat(jvm.ask("environment LD_PRELOAD")).isEqualTo("/mine.so");
            ProfilerClient.detach(pid(jvm), "the test is over", Attached.LIMIT);
            assertOnlyTheLibraries(jvm, "/libmayflypreload.so", "/libmayflylaunch.so");
        }
        try (Jvm jvm = preloaded(jdk, preload).start()) {
            assertThat(ask(jvm, "echo there")).isEqualTo("there");
            assertThat(jvm.ask("environment LD_PRELOAD")).isEqualTo("null");
        }
    }

    private static Jvm.Plan preloaded(Jdk jdk, String libraries) {
        return Jvm.run("ThreadAndClassChurn").on(jdk).environment("LD_PRELOAD", libraries);
    }

    /** Asserts that stderr has exactly one line with this reason. */
    private static void assertSaid(Jvm jvm, String why) {
        assertThat(jvm.stderr().lines().filter(line -> line.startsWith(WITHOUT)))
                .as(jvm.evidence())
                .singleElement()
                .asString()
                .contains(why);
    }

    /** A host whose profiler has failed unloads itself asynchronously. */
    private static void awaitOnlyTheLibrary(Jvm jvm) throws Exception {
        Deadline deadline = Deadline.in(Attached.LIMIT);
        while (HostTrace.of(jvm).stream().anyMatch(line -> !line.contains("/libmayflylaunch.so"))) {
            deadline.check(HostTrace.of(jvm).toString());
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("A-25")
    void mainStartsAfterTheInitializationTimeout(Jdk jdk) throws Exception {
        String option = files(scripted(), Duration.ofMillis(500), Acceptance.LASTING_COST)
                .option();
        try (Jvm jvm = program(jdk, option, "hang").start()) {
            assertSaid(jvm, "did not return in time");
            assertThat(ProfilerClient.status(pid(jvm)))
                    .hasValueSatisfying(status -> assertThat(status.state()).isEqualTo("initializing"));
            jvm.ask("release");
            ProfilerClient.detach(pid(jvm), "it came late", Attached.LIMIT);
            assertOnlyTheLibrary(jvm);
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("A-25")
    void unsupportedJvmOrJarIsReportedAndTheProgramRuns(Jdk jdk) throws Exception {
        String option =
                files(scripted(), Attached.LIMIT, Acceptance.LASTING_COST).option();
        try (Jvm jvm = program(jdk, option, "").with("-XX:-ClassUnloading").start()) {
            assertSaid(jvm, "never unloads classes");
            assertOnlyTheLibrary(jvm);
        }
        if (jdk.feature() < Jdk.current().feature()) {
            Path newer = newer(scripted(), Jdk.current().feature());
            try (Jvm jvm = program(
                            jdk,
                            files(newer, Attached.LIMIT, Acceptance.LASTING_COST)
                                    .option(),
                            "")
                    .start()) {
                assertSaid(jvm, "is built for a newer Java than the target's " + jdk.feature());
            }
        }
        try (Jvm jvm =
                program(jdk, files(scripted(), Attached.LIMIT).option(), "").start()) {
            if (jdk.feature() >= 21) {
                assertSaid(jvm, "slows virtual threads");
                assertOnlyTheLibrary(jvm);
            } else {
                assertThat(ask(jvm, "echo there")).isEqualTo("there");
            }
        }
    }

    /** Returns the jar with the profiler's class as a newer compiler would have written it. */
    private static Path newer(Path jar, int java) throws Exception {
        try (FileSystem files = FileSystems.newFileSystem(jar)) {
            Path type = files.getPath(ScriptedProfiler.class.getName().replace('.', '/') + ".class");
            byte[] content = Files.readAllBytes(type);
            ByteBuffer.wrap(content).putShort(6, (short) (44 + java));
            Files.write(type, content);
        }
        return jar;
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("A-25")
    void invalidLaunchFileIsReportedAndTheProgramRuns(Jdk jdk) throws Exception {
        LaunchFiles files = files(scripted(), Attached.LIMIT, Acceptance.LASTING_COST);
        Path launch = Path.of(files.option().replaceFirst(".*=", ""));
        byte[] whole = Files.readAllBytes(launch);
        byte[] changed = whole.clone();
        changed[whole.length / 2] ^= 1;
        Files.delete(launch);
        try (Jvm jvm = program(jdk, files.option(), "").start()) {
            assertSaid(jvm, launch + " cannot be read: No such file or directory");
            assertThat(jvm.ask("environment " + VARIABLE)).isEqualTo("null");
        }
        for (byte[] bad : List.of(changed, Arrays.copyOf(whole, whole.length - 1), new byte[0])) {
            Files.write(launch, bad);
            try (Jvm jvm = program(jdk, files.option(), "").start()) {
                assertSaid(jvm, "is not a launch file of this version of Mayfly, or is incomplete");
                assertOnlyTheLibrary(jvm);
            }
        }
    }

    @Test
    void folderNameThatAnOptionCannotContainIsRefused() throws Exception {
        LaunchRequest request =
                new LaunchRequest(scripted(), Optional.empty(), Attached.LIMIT, Set.of(Acceptance.LASTING_COST));
        for (String name : List.of("two words", "a=b", "\"quoted\"")) {
            assertThatThrownBy(() -> LaunchFiles.in(folder.resolve(name), request))
                    .isInstanceOf(AttachFailed.class)
                    .satisfies(e -> assertThat(((AttachFailed) e).status()).isEqualTo(Status.ATTACH_REFUSED));
            assertThat(folder.resolve(name)).doesNotExist();
        }
    }
}
