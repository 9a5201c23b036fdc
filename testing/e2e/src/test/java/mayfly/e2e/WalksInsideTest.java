package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.client.Acceptance;
import mayfly.attach.client.ProfilerClient;
import mayfly.attach.launch.LaunchFiles;
import mayfly.attach.launch.LaunchRequest;
import mayfly.kit.Command;
import mayfly.kit.Deadline;
import mayfly.kit.Empty;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.Partly;
import mayfly.kit.Requirement;
import mayfly.kit.ThreadPrint;
import mayfly.profilers.testing.StackWalkProfiler;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Stacks and ids as a profiler inside a JVM gets them. */
class WalksInsideTest {
    private static final String GUEST = "mayfly.targets.ThreadAndClassChurn$Guest";
    private static final String DESCEND = "mayfly.targets.OverriddenJdkClasses.descend";

    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    private Path jar() throws Exception {
        return ProfilerJars.jar(
                folder.resolve("walks.jar"),
                ProfilerJars.manifest(StackWalkProfiler.class.getName(), "1", "STACK_SNAPSHOTS, CLASS_LOADS, THREADS"));
    }

    private Attached attach(Jvm jvm) throws Exception {
        return Attached.by(Attached.request(jvm, jar(), ""));
    }

    private static long frames(String walk, String method) {
        return walk.lines().filter(method::equals).count();
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"S-18", "S-20", "S-25"})
    @Partly("S-25: a walk ends at 1,024 frames if the heap has no room for more")
    void walkInsideReportsADeepStackToItsRoot(Jdk jdk) throws Exception {
        // In a heap of 64 MiB a detach forces its collection, whatever the walks have left there.
        try (Jvm jvm = Jvm.run("OverriddenJdkClasses")
                .on(jdk)
                .with("-Xss64m", "-Xmx64m")
                .start()) {
            Attached profiler = attach(jvm);
            jvm.ask("deep deep 5000");
            String walk = profiler.ask("stack deep");
            while (frames(walk, DESCEND) < 5000 || !walk.contains("java.lang.Thread.sleep")) {
                walk = profiler.ask("stack deep"); // until the thread has reached its deepest frame
            }
            assertThat(frames(walk, DESCEND)).isEqualTo(5000);
            assertThat(walk.lines().toList()).endsWith("mayfly.targets.OverriddenJdkClasses$Overriding.run", "OK");
            // The thread has loaded the class before main answers.
            assertThat(jvm.ask("load 3000")).isEqualTo("loaded");
            String own = profiler.ask("load-stack " + GUEST);
            assertThat(frames(own, DESCEND)).isEqualTo(3000);
            assertThat(own).endsWith("mayfly.targets.OverriddenJdkClasses.main\n");
            profiler.detach();
        }
    }

    /** The threads are blocked in many ways. The oracle is the JVM's thread dump, which has all frames. */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("S-20")
    void walksInsideOfManyBlockedThreadsEqualThreadPrint(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Blocked")
                .on(jdk)
                .with("-XX:MaxJavaStackTraceDepth=10000")
                .start()) {
            Attached profiler = attach(jvm);
            List<ThreadPrint.PrintedThread> printed = ThreadPrint.of(jvm).startingWith("kind-");
            for (ThreadPrint.PrintedThread thread : printed) {
                assertThat(profiler.ask("stack-shown " + thread.name())
                                .replaceAll("/0x[0-9a-f]+", "")
                                .lines())
                        .as(thread.name())
                        .containsExactlyElementsOf(Stream.concat(
                                        thread.frames().stream()
                                                .map(frame -> frame.name().replaceAll("/0x[0-9a-f]+", "")),
                                        Stream.of("OK"))
                                .toList());
            }
            assertThat(printed).hasSizeGreaterThanOrEqualTo(60);
            profiler.detach();
        }
    }

    /**
     * Shows the limit: of a thread that waits in the kernel, a walk outside has the native functions that it called,
     * and a walk inside has the managed frames only.
     */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("S-26")
    @Empty("S-26: the JVM's own stack walker, which a walk inside uses, has neither native frames nor registers and"
            + " takes no seed; walks outside have all three (S-02, S-05, S-11)")
    void walkInsideHasTheManagedFramesOfAWalkOutsideAndNoNativeOnes(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Blocked").on(jdk).start()) {
            Attached profiler = attach(jvm);
            List<String> inside = profiler.ask("stack-shown kind-park").lines().toList();
            Command dump = CommandLine.run("stack", Long.toString(jvm.pid()));
            assertThat(dump.exitCode()).as(dump.evidence()).isZero();
            String outside = dump.stdout().substring(dump.stdout().indexOf("\"kind-park\""));
            outside = outside.substring(0, outside.indexOf("\n\n"));
            assertThat(outside).contains("libc.so.6!", "libjvm.so!", "mayfly.targets.Blocked.");
            assertThat(inside).endsWith("java.lang.Thread.run", "OK").noneMatch(frame -> frame.contains(".so"));
            for (String frame : inside.subList(0, inside.size() - 1)) {
                assertThat(outside).contains(frame);
            }
            profiler.detach();
        }
    }

    /**
     * A heap without room for all frames is not filled with them. Before JDK 21 the JVM cannot return only a part of
     * them.
     */
    @ParameterizedTest
    @MethodSource("jdks")
    void walkInsideOfAStackTooDeepForTheHeapIsTruncated(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("OverriddenJdkClasses")
                .on(jdk)
                .with("-Xmx14m", "-XX:+UseSerialGC")
                .start()) {
            Attached profiler = attach(jvm);
            jvm.ask("deep deep 5000");
            String walk = profiler.ask("stack deep");
            while (jdk.feature() >= 21 ? !walk.endsWith("STACK_SNAPSHOT_TRUNCATED") : frames(walk, DESCEND) < 5000) {
                walk = profiler.ask("stack deep");
            }
            assertThat(walk.lines().count())
                    .isEqualTo(
                            jdk.feature() >= 21
                                    ? 1024 + 1
                                    : frames(walk, DESCEND)
                                            + walk.lines()
                                                    .filter(line -> !line.equals(DESCEND))
                                                    .count());
            profiler.detach();
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("S-04")
    void walkInsideEndsWhenItsCallbackStopsIt(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("OverriddenJdkClasses").on(jdk).start()) {
            Attached profiler = attach(jvm);
            jvm.ask("deep deep 100");
            List<String> whole = List.of();
            List<String> before;
            Deadline deadline = Deadline.in(Attached.LIMIT);
            do { // until the thread has reached its deepest frame
                deadline.check("the thread does not sleep: %s", whole);
                before = whole;
                whole = profiler.ask("stack deep").lines().toList();
            } while (!whole.toString().contains("java.lang.Thread.sleep") || !whole.equals(before));
            assertThat(profiler.ask("abort deep").lines())
                    .containsExactly(whole.get(0), whole.get(1), whole.get(2), Status.STACK_SNAPSHOT_ABORTED.name());
            profiler.detach();
        }
    }

    /** The JVM logs each operation for which it stops all threads. */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("S-06")
    void walkInsideOfTheCallingThreadStopsNoThread(Jdk jdk) throws Exception {
        Path log = folder.resolve("safepoints.log");
        try (Jvm jvm = Jvm.run("OverriddenJdkClasses")
                .on(jdk)
                .with("-Xlog:safepoint:file=" + log)
                .start()) {
            Attached profiler = attach(jvm);
            assertThat(jvm.ask("load 10")).isEqualTo("loaded");
            long before = threadDumps(log);
            assertThat(jvm.ask("load 300")).isEqualTo("loaded");
            String own = profiler.ask("load-stack " + GUEST);
            assertThat(frames(own, DESCEND)).isEqualTo(300);
            assertThat(own).endsWith("mayfly.targets.OverriddenJdkClasses.main\n");
            assertThat(threadDumps(log)).isEqualTo(before);
            profiler.detach();
        }
    }

    /** Each JVM has threads that run no Java code. Before JDK 21 a walk of another thread stops all threads. */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("S-15")
    void walkInsideOfAThreadWithoutJavaFramesIsEmptyAndStopsNoOtherThreadOn21(Jdk jdk) throws Exception {
        Path log = folder.resolve("safepoints.log");
        try (Jvm jvm = Jvm.run("OverriddenJdkClasses")
                .on(jdk)
                .with("-Xlog:safepoint:file=" + log)
                .start()) {
            Attached profiler = attach(jvm);
            long before = threadDumps(log);
            for (int i = 0; i < 10; i++) {
                assertThat(profiler.ask("stack Signal Dispatcher")).isEqualTo("OK");
            }
            if (jdk.feature() >= 21) {
                assertThat(threadDumps(log)).isEqualTo(before);
            }
            profiler.detach();
        }
    }

    private static long threadDumps(Path log) throws Exception {
        return Files.readAllLines(log).stream()
                .filter(line -> line.contains("ThreadDump"))
                .count();
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("S-20")
    void walkInsideOmitsFramesOfProfilerAndHost(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("OverriddenJdkClasses").on(jdk).start()) {
            Attached profiler = attach(jvm);
            assertThat(profiler.ask("own")).as("on the host's own thread").isEmpty();
            assertThat(jvm.ask("load 10")).isEqualTo("loaded");
            String own = profiler.ask("load-stack " + GUEST);
            assertThat(own)
                    .doesNotContain("mayfly.host")
                    .doesNotContain("mayfly.profilers")
                    .doesNotContain("mayfly.api");
            assertThat(own.lines().findFirst().orElseThrow()).as(own).startsWith("java.");
            assertThat(own).contains("mayfly.targets.ThreadAndClassChurn.load\n");
            profiler.detach();
        }
    }

    /** The oracles are a Throwable of the target and the JVM's thread dump, which has all frames. */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("S-21")
    void walkInsideShowsOrOmitsHiddenFramesByOption(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("HiddenFrames").on(jdk).start()) {
            Attached profiler = attach(jvm);
            List<String> without = List.of(jvm.ask("trace").split(" "));
            List<String> omitted = below(profiler.ask("stack hides"));
            assertThat(omitted).isEqualTo(without);
            List<String> shown = below(profiler.ask("stack-shown hides"));
            assertThat(shown).isEqualTo(printed(jvm)).hasSizeGreaterThan(without.size() + 3);
            profiler.detach();
        }
    }

    /** Returns the frames from {@code bottom} to the root; {@code bottom} has recorded the stack of the oracle. */
    private static List<String> below(String walk) {
        List<String> frames = walk.lines().toList();
        assertThat(frames).endsWith("OK");
        return frames.subList(frames.indexOf("mayfly.targets.HiddenFrames.bottom"), frames.size() - 1);
    }

    private static List<String> printed(Jvm jvm) {
        Command dump = Command.run(
                Attached.LIMIT, Jdk.current().tool("jcmd").toString(), Long.toString(jvm.pid()), "Thread.print");
        List<String> frames = dump.stdout()
                .lines()
                .dropWhile(line -> !line.startsWith("\"hides\""))
                .skip(1)
                .takeWhile(line -> !line.isBlank())
                .map(String::strip)
                .filter(line -> line.startsWith("at "))
                .map(line -> line.substring(3, line.indexOf('(')).replaceFirst("^[a-z.]+(@[^/]*)?/", ""))
                .toList();
        assertThat(frames).as(dump.evidence()).contains("mayfly.targets.HiddenFrames.bottom");
        return frames.subList(frames.indexOf("mayfly.targets.HiddenFrames.bottom"), frames.size());
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void answerOfMoreThan16MebibytesIsRefused(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("OverriddenJdkClasses").on(jdk).start()) {
            Attached profiler = attach(jvm);
            assertThat(profiler.ask("bytes " + (16 << 20))).hasSize(16 << 20);
            AttachFailed refused = Attached.failure(() -> profiler.ask("bytes " + ((16 << 20) + 1)));
            assertThat(refused.status()).isEqualTo(Status.FAILED);
            assertThat(refused)
                    .hasMessage("the profiler answered with 16777217 bytes, and an answer has at most 16777216");
            int pid = Math.toIntExact(jvm.pid());
            assertThat(Attached.failure(() -> ProfilerClient.send(pid, new byte[(16 << 20) + 1], Attached.LIMIT)))
                    .hasMessage("a command has at most 16777216 bytes, not 16777217");
            profiler.detach();
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void idsOfAnotherRuntimeAreUnknown(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("OverriddenJdkClasses").on(jdk).start()) {
            Attached profiler = attach(jvm);
            assertThat(profiler.ask("foreign")).isEqualTo("UNKNOWN_ID UNKNOWN_ID UNKNOWN_ID UNKNOWN_ID THREAD_GONE");
            profiler.detach();
        }
    }

    /** The program's threads, properties, thread group and system class loader record their callers. */
    @ParameterizedTest
    @MethodSource("jdks")
    void noProgramCodeRunsOnHostThreads(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("OverriddenJdkClasses")
                .on(jdk)
                .with("-Djava.system.class.loader=mayfly.targets.OverriddenJdkClasses$Loader")
                .start()) {
            Attached profiler = attach(jvm);
            List<String> ids = profiler.ask("ids").lines().toList();
            assertThat(ids)
                    .doesNotHaveDuplicates()
                    .anyMatch(id -> id.endsWith(" one"))
                    .anyMatch(id -> id.endsWith(" two"))
                    .noneMatch(id -> id.startsWith("1 7 o") || id.startsWith("1 7 t"));
            assertThat(profiler.ask("stack one"))
                    .startsWith("java.lang.Thread.sleep")
                    .endsWith("OK");
            assertThat(profiler.ask("stack-shown two"))
                    .startsWith("java.lang.Thread.sleep")
                    .endsWith("OK");
            assertThat(profiler.ask("runtime")).contains("runtime=1, feature=" + jdk.feature());
            assertThat(jvm.ask("load 1")).isEqualTo("loaded");
            profiler.detach();
            assertThat(jvm.ask("trespasses")).isEqualTo("[]");
            assertThat(HostTrace.of(jvm)).isEmpty();
        }
    }

    /** The host searches the program's threads and beans for references to the profiler. */
    @ParameterizedTest
    @MethodSource("jdks")
    void noProgramCodeRunsDuringTheSearchForRetainers(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("OverriddenJdkClasses")
                .on(jdk)
                .with("-Djava.system.class.loader=mayfly.targets.OverriddenJdkClasses$Loader")
                .start()) {
            Attached profiler = Attached.to(jvm, folder, "");
            profiler.ask("hook");
            ProfilerClient.requestDetach(Math.toIntExact(jvm.pid()), "go", Attached.LIMIT);
            Deadline deadline = Deadline.in(Attached.LIMIT);
            while (!ProfilerClient.status(Math.toIntExact(jvm.pid()))
                    .orElseThrow()
                    .state()
                    .equals("pinned")) {
                deadline.check("the state was not reached");
            }
            assertThat(jvm.ask("trespasses")).isEqualTo("[]");
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void launchedHostDoesNotCallTheSystemClassLoader(Jdk jdk) throws Exception {
        LaunchFiles files = LaunchFiles.in(
                folder.resolve("launch"),
                new LaunchRequest(
                        jar(), java.util.Optional.empty(), Attached.LIMIT, java.util.Set.of(Acceptance.LASTING_COST)));
        try (Jvm jvm = Jvm.run("OverriddenJdkClasses")
                .on(jdk)
                .environment("JAVA_TOOL_OPTIONS", files.option())
                .with("-Djava.system.class.loader=mayfly.targets.OverriddenJdkClasses$Loader")
                .start()) {
            assertThat(ProfilerClient.status(Math.toIntExact(jvm.pid()))).hasValueSatisfying(status -> {
                assertThat(status.runtime()).isEqualTo("r1");
                assertThat(status.library()).isPositive();
            });
            ProfilerClient.detach(Math.toIntExact(jvm.pid()), "done", Attached.LIMIT);
            assertThat(jvm.ask("trespasses")).isEqualTo("[]");
        }
    }
}
