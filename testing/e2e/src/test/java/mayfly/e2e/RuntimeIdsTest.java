package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.client.Acceptance;
import mayfly.attach.client.AttachRequest;
import mayfly.kit.Command;
import mayfly.kit.Deadline;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.Requirement;
import mayfly.profile.RecordedRuntime;
import mayfly.profile.RuntimeId;
import mayfly.profile.capture.CaptureReader;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Ids of the JVMs of a process: every command finds the same ids at any time. The process has two JVMs, which started
 * one after the other, and a third libjvm that is only mapped.
 */
class RuntimeIdsTest {
    /** A JVM as every command prints it. */
    private static final Pattern LINE = Pattern.compile("(r\\d+) HotSpot (\\d+)\\S* at (0x[0-9a-f]+)");

    private static final Pattern ROW =
            Pattern.compile("\"runtime\":\"(r\\d+)\",\"version\":\"(\\d+)[^\"]*\",\"address\":\"(0x[0-9a-f]+)\"");

    @TempDir
    private Path folder;

    static List<Jdk> jdks() {
        return JvmPair.jdks();
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"X-01"})
    void runtimeIdsAreEqualInEveryCommandAfterAJvmIsDestroyed(Jdk second) throws Exception {
        Jdk first = JvmPair.first(second);
        Path destroy = folder.resolve("destroy");
        try (Jvm jvm = start(first, second, destroy)) {
            String ids = idsInEveryCommand(jvm);
            assertThat(ids).matches("r1 " + first.feature() + " 0x[0-9a-f]+, r2 " + second.feature() + " 0x[0-9a-f]+");
            attach(jvm, "r1");
            attach(jvm, "r2");

            Files.createFile(destroy);
            await(() -> Files.exists(folder.resolve("destroy.done")), jvm);
            assertThat(idsInEveryCommand(jvm)).isEqualTo(ids);
            AttachFailed gone = Attached.failure(() -> attach(jvm, "r1"));
            assertThat(gone.status()).isEqualTo(Status.RUNTIME_NOT_LOADED);
            assertThat(gone).hasMessageContaining("r1 (" + first.feature()).hasMessageContaining("has been destroyed");
            attach(jvm, "r2");
            assertThat(jvm.ask("load")).isEqualTo("a guest");
        }
    }

    static List<Jdk> seconds(TestInfo test) {
        return JvmPair.seconds(test);
    }

    /** The profiler of the first JVM remains attached while the second one starts and takes over the signals. */
    @ParameterizedTest
    @MethodSource("seconds")
    @Requirement("X-01")
    void jvmThatStartsBetweenTwoAttachesHasTheNextIdAndAProfilerOfItsOwn(Jdk second) throws Exception {
        Jdk first = JvmPair.first(second);
        Path late = folder.resolve("late");
        Jvm.Plan plan = JvmPair.plan(
                "ThreadAndClassChurn",
                "sidebyside",
                List.of(first, second),
                first.libjvm().toString(),
                "mayfly.targets.SecondJvmLoad",
                second.libjvm().toString());
        try (Jvm jvm = plan.environment("SIDEBYSIDE_LATE", late.toString()).startUnready()) {
            Attached one = whenStarted(jvm);
            Files.createFile(late);
            jvm.awaitReady(Attached.LIMIT);
            Attached two = Attached.by(request(jvm, "r2"));
            assertThat(one.ask("classes").lines())
                    .contains("mayfly.targets.SecondJvmLoad")
                    .doesNotContain("mayfly.targets.ThreadAndClassChurn");
            assertThat(two.ask("classes").lines())
                    .contains("mayfly.targets.ThreadAndClassChurn")
                    .doesNotContain("mayfly.targets.SecondJvmLoad");
            assertThat(idsInEveryCommand(jvm))
                    .matches("r1 " + first.feature() + " 0x[0-9a-f]+, r2 " + second.feature() + " 0x[0-9a-f]+");
            one.detach();
            assertThat(two.ask("echo words")).isEqualTo("words");
            two.detach();
            assertThat(HostTrace.of(jvm)).isEmpty();
            assertThat(jvm.ask("load")).isEqualTo("a guest");
        }
    }

    /** Attaches to the first JVM when it has started. */
    private Attached whenStarted(Jvm jvm) throws Exception {
        Deadline deadline = Deadline.in(Attached.LIMIT);
        while (true) {
            try {
                return Attached.by(request(jvm, "r1"));
            } catch (AttachFailed e) {
                deadline.check("%s", e);
            }
        }
    }

    private static Jvm start(Jdk first, Jdk second, Path destroy) throws IOException {
        return JvmPair.plan(
                        "ThreadAndClassChurn",
                        "destroyed",
                        List.of(first, second),
                        second.libjvm().toString(),
                        first.libjvm().toString(),
                        second.libjvm().toString())
                .environment("DESTROY", destroy.toString())
                .start();
    }

    /** Asserts that the commands agree. Returns each id with its JDK and address. */
    private String idsInEveryCommand(Jvm jvm) throws Exception {
        Command ps = mayfly("ps", "--json");
        String ids = all(
                ROW,
                ps.stdout()
                        .lines()
                        .flatMap(line -> Pattern.compile("\\{[^}]*}")
                                .matcher(line)
                                .results()
                                .map(row -> row.group()))
                        .filter(row -> row.contains("\"pid\":" + jvm.pid() + ","))
                        .toList()
                        .toString());
        String pid = Long.toString(jvm.pid());
        Command stack = mayfly("stack", "--json", pid);
        assertThat(all(LINE, stack.stdout())).as(stack.evidence()).isEqualTo(ids);
        Command audit = mayfly("audit", "--json", pid);
        assertThat(all(LINE, audit.stdout())).as(audit.evidence()).isEqualTo(ids);
        Path capture = Files.createTempDirectory(folder, "recorded").resolve("out.mayfly");
        Command record = mayfly("record", "-d", "200ms", "-o", capture.toString(), pid);
        assertThat(record.exitCode()).as(record.evidence()).isZero();
        assertThat(all(
                        LINE,
                        CaptureReader.read(capture).recording().runtimes().stream()
                                .map(RecordedRuntime::line)
                                .toList()
                                .toString()))
                .isEqualTo(ids);
        return ids;
    }

    private static String all(Pattern pattern, String text) {
        var found = new TreeSet<String>();
        pattern.matcher(text).results().forEach(id -> found.add(id.group(1) + " " + id.group(2) + " " + id.group(3)));
        return String.join(", ", found);
    }

    private void attach(Jvm jvm, String runtime) throws Exception {
        Attached.by(request(jvm, runtime)).detach();
    }

    private AttachRequest request(Jvm jvm, String runtime) throws IOException {
        return new AttachRequest(
                        Math.toIntExact(jvm.pid()),
                        ProfilerJars.scripted(folder, ProfilerJars.ALL_EVENTS),
                        Optional.empty(),
                        Optional.of("CLASS_LOADS".getBytes(StandardCharsets.UTF_8)),
                        Attached.LIMIT,
                        Acceptance.LASTING_COST)
                .on(Optional.of(new RuntimeId.Choice(runtime)));
    }

    private static void await(BooleanSupplier condition, Jvm jvm) {
        Deadline deadline = Deadline.in(Duration.ofMinutes(1));
        while (!condition.getAsBoolean()) {
            deadline.check(jvm.evidence());
        }
    }

    private Command mayfly(String... arguments) {
        return CommandLine.run(arguments);
    }
}
