package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.client.Acceptance;
import mayfly.attach.client.AttachRequest;
import mayfly.attach.client.ProfilerClient;
import mayfly.attach.launch.LaunchFiles;
import mayfly.attach.launch.LaunchRequest;
import mayfly.audit.Audit;
import mayfly.audit.AuditComparison;
import mayfly.audit.AuditKind;
import mayfly.audit.Verdict;
import mayfly.kit.Command;
import mayfly.kit.Counts;
import mayfly.kit.Deadline;
import mayfly.kit.Jdk;
import mayfly.kit.Requirement;
import mayfly.profile.RuntimeId;
import mayfly.profilers.testing.CodeProfiler;
import mayfly.profilers.testing.ProbesProfiler;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Two JVMs of different JDKs that run in one process. */
class SideBySideTest {
    private static final String WITHOUT_SUSPENSIONS =
            "THREADS CLASS_LOADS MODULE_LOADS GARBAGE_COLLECTIONS COMPILED_METHODS";

    @TempDir
    private Path folder;

    static List<Jdk> seconds(TestInfo test) {
        return JvmPair.seconds(test);
    }

    private AttachRequest request(JvmPair pair, Optional<RuntimeId.Choice> runtime, String script) throws IOException {
        return new AttachRequest(
                        pair.pid(),
                        ProfilerJars.scripted(folder, ProfilerJars.ALL_EVENTS),
                        Optional.empty(),
                        Optional.of(script.getBytes()),
                        Attached.LIMIT,
                        Acceptance.LASTING_COST)
                .on(runtime);
    }

    @ParameterizedTest
    @MethodSource("seconds")
    @Requirement({"A-19", "X-01", "X-03"})
    void eachOfTwoJvmsInAProcessIsAttachedToInTurn(Jdk jdk) throws Exception {
        try (JvmPair pair = JvmPair.start(jdk)) {
            AttachFailed which = Attached.failure(() -> Attached.by(request(pair, Optional.empty(), "")));
            assertThat(which.status()).isEqualTo(Status.ATTACH_REFUSED);
            assertThat(which).hasMessageContaining("--runtime chooses one");
            Audit before = pair.audit();
            for (int i = 0; i < Scale.count(1, 10); i++) {
                assertAttached(
                        pair, pair.churn(), "mayfly.targets.ThreadAndClassChurn", "mayfly.targets.SecondJvmLoad");
                assertAttached(
                        pair, pair.aside(), "mayfly.targets.SecondJvmLoad", "mayfly.targets.ThreadAndClassChurn");
                assertAttached(
                        pair,
                        new RuntimeId.Choice(Integer.toString(jdk.feature())),
                        "mayfly.targets.ThreadAndClassChurn",
                        "mayfly.targets.SecondJvmLoad");
            }
            assertThat(AuditComparison.of(before, pair.audit()).of(Verdict.LEFTOVER))
                    .isEmpty();
            assertThat(pair.jvm().ask("load")).isEqualTo("a guest");
            assertThat(pair.jvm().exit()).as(pair.jvm().evidence()).isZero();
        }
    }

    private void assertAttached(JvmPair pair, RuntimeId.Choice runtime, String its, String others) throws Exception {
        Attached profiler = Attached.by(request(pair, Optional.of(runtime), WITHOUT_SUSPENSIONS));
        assertThat(profiler.ask("classes").lines()).contains(its).doesNotContain(others);
        assertThat(profiler.ask("threads").lines()).contains("Reference Handler");
        assertThat(profiler.ask("compiled")).isNotEmpty();
        Deadline deadline = Deadline.in(Attached.LIMIT);
        while (profiler.count("garbageCollectionStarted") == 0) {
            deadline.check("no collection was reported");
            pair.jvm().ask("unload");
        }
        profiler.detach();
        assertThat(HostTrace.of(pair.jvm())).isEmpty();
    }

    /** The profilers are independent: each has its own host, and reports its own JVM. */
    @ParameterizedTest
    @MethodSource("seconds")
    @Requirement({"X-05", "X-14"})
    void profilersOfBothJvmsAreAttachedAtOnceAndDetachedInEitherOrder(Jdk jdk) throws Exception {
        try (JvmPair pair = JvmPair.start(jdk)) {
            Audit before = pair.audit();
            for (int i = 0; i < Scale.count(2, 200); i++) {
                Attached churn = Attached.by(request(pair, Optional.of(pair.churn()), WITHOUT_SUSPENSIONS));
                Attached aside = Attached.by(request(pair, Optional.of(pair.aside()), WITHOUT_SUSPENSIONS));
                assertThat(churn.ask("classes").lines())
                        .contains("mayfly.targets.ThreadAndClassChurn")
                        .doesNotContain("mayfly.targets.SecondJvmLoad");
                assertThat(aside.ask("classes").lines())
                        .contains("mayfly.targets.SecondJvmLoad")
                        .doesNotContain("mayfly.targets.ThreadAndClassChurn");
                if (i < 2) {
                    assertBothAreShown(pair);
                }
                Attached first = i % 2 == 0 ? churn : aside;
                Attached last = i % 2 == 0 ? aside : churn;
                first.detach();
                assertThat(first.isAttached()).isFalse();
                assertThat(last.ask("threads").lines()).contains("Reference Handler");
                assertThat(HostTrace.of(pair.jvm()).stream().filter("thread Mayfly host"::equals))
                        .hasSize(1);
                last.detach();
                assertThat(HostTrace.of(pair.jvm())).isEmpty();
            }
            assertThat(AuditComparison.of(before, pair.audit()).of(Verdict.LEFTOVER))
                    .isEmpty();
            assertThat(pair.jvm().ask("load")).isEqualTo("a guest");
            assertThat(pair.jvm().exit()).as(pair.jvm().evidence()).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("seconds")
    @Requirement({"X-05", "D-28"})
    void auditShowsTheRedefinitionsOfAHostInItsOwnJvmOnly(Jdk jdk) throws Exception {
        try (JvmPair pair = JvmPair.start(jdk)) {
            Attached profiler = Attached.by(new AttachRequest(
                            pair.pid(),
                            ProfilerJars.jar(
                                    folder.resolve("probes.jar"),
                                    ProfilerJars.manifest(
                                            ProbesProfiler.class.getName(), "1", "METHOD_PROBES, STACK_SNAPSHOTS")),
                            Optional.empty(),
                            Optional.empty(),
                            Attached.LIMIT,
                            Acceptance.LASTING_COST)
                    .on(Optional.of(pair.aside())));
            assertThat(profiler.ask("mode nothing")).isEqualTo("OK");
            assertThat(profiler.ask("add mayfly.targets.SecondJvmLoad.signals")).isEqualTo("added 1");
            profiler.detach();
            Audit audit = pair.audit();
            String own = pair.aside().words() + ": ";
            String other = pair.churn().words() + ": ";
            assertThat(audit.section(AuditKind.TRANSFORMED_CLASSES).items())
                    .containsEntry(own + "redefinitions, for probes", 2L)
                    .allSatisfy((item, count) -> assertThat(item).doesNotStartWith(other));
            assertThat(audit.section(AuditKind.JVMTI_ENVIRONMENTS).items().keySet())
                    .contains(own + "empty environment, marked by Mayfly")
                    .doesNotContain(other + "empty environment, marked by Mayfly");
        }
    }

    @ParameterizedTest
    @MethodSource("seconds")
    @Requirement("X-05")
    void idsOfAProfilerAreUnknownToTheProfilerOfTheOtherJvm(Jdk jdk) throws Exception {
        try (JvmPair pair = JvmPair.start(jdk)) {
            Attached churn = codeProfiler(pair, pair.churn());
            Attached aside = codeProfiler(pair, pair.aside());
            assertKnownToOneOnly(churn, aside, "mayfly.targets.ThreadAndClassChurn");
            assertKnownToOneOnly(aside, churn, "mayfly.targets.SecondJvmLoad");
            churn.detach();
            aside.detach();
        }
    }

    private Attached codeProfiler(JvmPair pair, RuntimeId.Choice runtime) throws Exception {
        return Attached.by(new AttachRequest(
                        pair.pid(),
                        ProfilerJars.jar(
                                folder.resolve("code.jar"),
                                ProfilerJars.manifest(CodeProfiler.class.getName(), "1", "CLASS_LOADS")),
                        Optional.empty(),
                        Optional.of("CLASS_LOADS".getBytes()),
                        Attached.LIMIT,
                        Acceptance.LASTING_COST)
                .on(Optional.of(runtime)));
    }

    private static void assertKnownToOneOnly(Attached owner, Attached other, String type) throws Exception {
        String ids = owner.ask("ids " + type);
        assertThat(owner.ask("use-ids " + ids).split(" ")).hasSize(5).containsOnly("OK");
        assertThat(other.ask("use-ids " + ids).split(" ")).hasSize(5).containsOnly("UNKNOWN_ID");
    }

    private void assertBothAreShown(JvmPair pair) throws Exception {
        String pid = Integer.toString(pair.pid());
        assertThat(CommandLine.run("status", pid).stdout().lines().filter(line -> line.startsWith("process " + pid)))
                .satisfiesExactly(
                        r1 -> assertThat(r1).contains("attached to r1 "),
                        r2 -> assertThat(r2).contains("attached to r2 "));
        assertThat(CommandLine.run("status", "--runtime", "r2", pid).stdout())
                .contains("attached to r2 ")
                .doesNotContain("attached to r1 ");
        assertThat(CommandLine.run("ps", "--json").stdout())
                .containsPattern("\"pid\":" + pid + ",\"runtime\":\"r1\"[^}]*\"attached\":\\[\"mayfly\"\\]")
                .containsPattern("\"pid\":" + pid + ",\"runtime\":\"r2\"[^}]*\"attached\":\\[\"mayfly\"\\]");
        Command any = CommandLine.run("send", pid, "classes");
        assertThat(any.exitCode()).as(any.evidence()).isNotZero();
        assertThat(any.stderr()).contains("profilers are attached to r1 and r2", "--runtime chooses one");
        Command one = CommandLine.run("send", "--runtime", pair.aside().words(), pid, "classes");
        assertThat(one.stdout().lines()).as(one.evidence()).contains("mayfly.targets.SecondJvmLoad");
        AttachFailed taken = Attached.failure(() -> Attached.by(request(pair, Optional.of(pair.churn()), "")));
        assertThat(taken.status()).isEqualTo(Status.PROFILER_ALREADY_ACTIVE);
    }

    /** The attach listener changes the JVM's log configuration, and both JVMs share one listener. */
    @ParameterizedTest
    @MethodSource("seconds")
    @Requirement("A-19")
    void suspensionsOfTheJvmWithoutAttachListenerAreRefused(Jdk jdk) throws Exception {
        try (JvmPair pair = JvmPair.start(jdk)) {
            Attached.by(request(pair, Optional.of(pair.churn()), "SUSPENSIONS")).detach();
            AttachFailed refused =
                    Attached.failure(() -> Attached.by(request(pair, Optional.of(pair.aside()), "SUSPENSIONS")));
            assertThat(refused.status()).isEqualTo(Status.UNSUPPORTED_FOR_ATTACHING_PROFILER);
            assertThat(refused).hasMessageContaining("belongs to another JVM");
            HostTrace.awaitNone(pair.jvm());
        }
    }

    /** The JVMs share one attach listener, which each host was asked to stop, and which the other may still need. */
    @ParameterizedTest
    @MethodSource("seconds")
    @Requirement("A-19")
    void listenerIsStoppedByTheLastHost(Jdk jdk) throws Exception {
        try (JvmPair pair = JvmPair.start(jdk)) {
            Attached aside = Attached.by(request(pair, Optional.of(pair.aside()), "CLASS_LOADS"));
            Attached churn = Attached.by(request(pair, Optional.of(pair.churn()), "SUSPENSIONS"));
            aside.detach();
            assertThat(churn.ask("mask CLASS_LOADS")).isEqualTo("OK");
            assertThat(churn.ask("mask SUSPENSIONS")).isEqualTo("OK");
            Path listener = Path.of("/tmp/.java_pid" + pair.pid());
            assertThat(listener).exists();
            churn.detach();
            assertThat(HostTrace.of(pair.jvm())).isEmpty();
            assertThat(listener).doesNotExist();
        }
    }

    /**
     * The profiler was attached when there was no other JVM; the listener that answers now belongs to the other JVM.
     */
    @ParameterizedTest
    @MethodSource("seconds")
    @Requirement("A-19")
    void launchedProfilerOfTheFirstJvmIsRefusedSuspensions(Jdk jdk) throws Exception {
        LaunchFiles files = LaunchFiles.temporary(new LaunchRequest(
                ProfilerJars.scripted(folder, ProfilerJars.ALL_EVENTS),
                Optional.empty(),
                Attached.LIMIT,
                Set.of(Acceptance.LASTING_COST)));
        try (JvmPair pair = JvmPair.start(jdk, files.option())) {
            assertThat(ask(pair, "mask CLASS_LOADS")).isEqualTo("OK");
            assertThat(ask(pair, "classes").lines())
                    .contains("mayfly.targets.SecondJvmLoad")
                    .doesNotContain("mayfly.targets.ThreadAndClassChurn");
            assertThat(ask(pair, "mask SUSPENSIONS")).isEqualTo(Status.UNSUPPORTED_FOR_ATTACHING_PROFILER.name());
            assertThat(ask(pair, "has-mask")).isEqualTo("[CLASS_LOADS]");
            ProfilerClient.detach(pair.pid(), "the test is over", Attached.LIMIT);
            assertThat(HostTrace.of(pair.jvm())).allMatch(line -> line.contains("/libmayflylaunch.so"));
            assertThat(pair.jvm().ask("load")).isEqualTo("a guest");
        } finally {
            files.remove();
        }
    }

    private static String ask(JvmPair pair, String command) throws Exception {
        return new String(ProfilerClient.send(pair.pid(), command.getBytes(), Attached.LIMIT));
    }

    @ParameterizedTest
    @MethodSource("seconds")
    @Requirement({"X-01", "X-03"})
    void bothJvmsOfAProcessAreSampledAndDumped(Jdk jdk) throws Exception {
        try (JvmPair pair = JvmPair.start(jdk)) {
            // Each thread of the second JVM costs an arena of malloc: "churn" would use up all of them.
            pair.jvm().ask("trickle");
            Path file = folder.resolve("out.collapsed");
            Command record = mayfly(
                    "record", "--json", "-d", "2s", "-F", "499", "-o", file.toString(), Long.toString(pair.pid()));
            assertThat(record.exitCode()).as(record.evidence()).isZero();
            Counts counts = Counts.parse(Files.readString(file));
            Counts.assertAtLeast(
                    counts.top(5),
                    Checks.number(record.stdout(), "complete"),
                    Checks.number(record.stdout(), "samples"),
                    0.99);
            assertThat(counts.with("mayfly.targets.SecondJvmLoad.main_[" + pair.aside() + "]"))
                    .as(counts.top(5))
                    .isGreaterThan(counts.total() / 10);
            assertThat(counts.of(frames ->
                            frames.stream().anyMatch(frame -> frame.startsWith("mayfly.targets.ThreadAndClassChurn"))))
                    .as(counts.top(5))
                    .isPositive();
            String version = Integer.toString(JvmPair.first(jdk).feature());
            assertRecordingOfOne(pair, pair.aside().words(), file);
            assertRecordingOfOne(pair, version, file);
            Command stack = mayfly("stack", Long.toString(pair.pid()));
            assertThat(stack.exitCode()).as(stack.evidence()).isZero();
            List<String> missing = new ArrayList<>(List.of(
                    "\"aside\" #",
                    "at mayfly.targets.SecondJvmLoad.main(",
                    "at mayfly.targets.ThreadAndClassChurn.main(",
                    pair.aside() + " ",
                    pair.churn() + " "));
            missing.removeIf(stack.stdout()::contains);
            assertThat(missing).as(stack.evidence()).isEmpty();
            Command churn = mayfly("stack", "--runtime", Integer.toString(jdk.feature()), Long.toString(pair.pid()));
            assertThat(churn.stdout())
                    .as(churn.evidence())
                    .contains("at mayfly.targets.ThreadAndClassChurn.main(")
                    .doesNotContain("\"aside\" #", "at mayfly.targets.SecondJvmLoad.main(");
            assertThat(pair.jvm().ask("rest")).isNotEmpty();
        }
    }

    private void assertRecordingOfOne(JvmPair pair, String runtime, Path file) throws IOException {
        Command record = mayfly(
                "record",
                "-d",
                "1s",
                "-F",
                "499",
                "--runtime",
                runtime,
                "-o",
                file.toString(),
                Long.toString(pair.pid()));
        assertThat(record.exitCode()).as(record.evidence()).isZero();
        Counts counts = Counts.parse(Files.readString(file));
        assertThat(counts.with("mayfly.targets.SecondJvmLoad.main_[" + pair.aside() + "]"))
                .as(counts.top(5))
                .isPositive();
        assertThat(counts.of(frames ->
                        frames.stream().anyMatch(frame -> frame.startsWith("mayfly.targets.ThreadAndClassChurn"))))
                .as(counts.top(5))
                .isZero();
    }

    private Command mayfly(String... arguments) {
        return CommandLine.run(arguments);
    }
}
