package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import mayfly.api.Status;
import mayfly.attach.channel.HostStatus;
import mayfly.attach.client.Acceptance;
import mayfly.attach.client.DetachRequest;
import mayfly.attach.client.ProfilerClient;
import mayfly.attach.client.ProfilerJar.ApiPolicy;
import mayfly.attach.launch.LaunchFiles;
import mayfly.attach.launch.LaunchRequest;
import mayfly.kit.Command;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.LaunchedMayfly;
import mayfly.kit.Requirement;
import mayfly.profile.RuntimeId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The JVMs of a process that a profiler is for: the first, one, or many. Its manifest declares that, or the user. */
class RuntimeSchemesTest {
    private static final String EVENTS = "CLASS_LOADS";

    /** The exit code of a refusal because of the target. */
    private static final int NO_SUCH_RUNTIME = 3;

    @TempDir
    private Path folder;

    static List<Jdk> seconds(TestInfo test) {
        return JvmPair.seconds(test);
    }

    private Command attach(JvmPair pair, Path jar, String... more) {
        List<String> words = new ArrayList<>(List.of(
                "attach",
                Integer.toString(pair.pid()),
                "--profiler",
                jar.toString(),
                "--accept-lasting-cost",
                "--timeout",
                Attached.LIMIT.toSeconds() + "s"));
        words.addAll(List.of(more));
        return CommandLine.run(words.toArray(String[]::new));
    }

    private static List<String> attached(JvmPair pair) throws Exception {
        return attached(pair.jvm());
    }

    private static List<String> attached(Jvm jvm) throws Exception {
        return ProfilerClient.statuses(Math.toIntExact(jvm.pid())).known().stream()
                .map(HostStatus::runtime)
                .toList();
    }

    private static void detachAll(JvmPair pair) throws Exception {
        Command detach = CommandLine.run("detach", Integer.toString(pair.pid()), "--runtime", "all");
        assertThat(detach.exitCode()).as(detach.evidence()).isZero();
        assertThat(attached(pair)).isEmpty();
        HostTrace.awaitNone(pair.jvm());
    }

    private static String classesIn(JvmPair pair, RuntimeId.Choice runtime) throws Exception {
        assertThat(send(pair, runtime, "mask CLASS_LOADS")).isEqualTo("OK");
        return send(pair, runtime, "classes");
    }

    private static String send(JvmPair pair, RuntimeId.Choice runtime, String command) throws Exception {
        return new String(ProfilerClient.send(pair.pid(), Optional.of(runtime), command.getBytes(), Attached.LIMIT));
    }

    @ParameterizedTest
    @MethodSource("seconds")
    @Requirement({"X-04", "X-13", "X-16"})
    void profilerForManyIsAttachedToAllJvms(Jdk jdk) throws Exception {
        try (JvmPair pair = JvmPair.start(jdk)) {
            Command attach = attach(pair, ProfilerJars.scripted(folder, EVENTS, "many"));
            assertThat(attach.exitCode()).as(attach.evidence()).isZero();
            assertThat(attach.stderr()).contains("attached to r1, r2 of process " + pair.pid());
            assertThat(attached(pair)).containsExactly("r1", "r2");
            assertThat(classesIn(pair, pair.aside())).contains("mayfly.targets.SecondJvmLoad");
            assertThat(classesIn(pair, pair.churn())).contains("mayfly.targets.ThreadAndClassChurn");
            Command again = attach(pair, ProfilerJars.scripted(folder, EVENTS, "many"));
            assertThat(again.exitCode()).as(again.evidence()).isEqualTo(10 + Status.PROFILER_ALREADY_ACTIVE.number());
            assertThat(again.stderr()).contains("r1: ", "; r2: ", " is active");
            detachAll(pair);
            Command one = attach(
                    pair,
                    ProfilerJars.scripted(folder, EVENTS, "many"),
                    "--runtime",
                    pair.aside().words());
            assertThat(one.exitCode()).as(one.evidence()).isZero();
            assertThat(attached(pair)).containsExactly(pair.aside().words());
            detachAll(pair);
        }
    }

    @ParameterizedTest
    @MethodSource("seconds")
    @Requirement("X-16")
    void listOfRuntimesIsAttachedToDetachedFromAndShownByEachCommand(Jdk jdk) throws Exception {
        try (JvmPair pair = JvmPair.start(jdk)) {
            Path jar = ProfilerJars.scripted(folder, EVENTS);
            String versions = jdk.feature() + "," + JvmPair.first(jdk).feature();
            for (String missing : List.of("r1,r3", jdk.feature() + ",11")) {
                Command refused = attach(pair, jar, "--runtime", missing);
                assertThat(refused.exitCode()).as(refused.evidence()).isEqualTo(NO_SUCH_RUNTIME);
                assertThat(attached(pair))
                        .as("nothing before the whole list is known")
                        .isEmpty();
            }
            for (String both : List.of("r2,r1", versions, "r1,r2,r1")) {
                Command attach = attach(pair, jar, "--runtime", both);
                assertThat(attach.exitCode()).as(attach.evidence()).isZero();
                assertThat(attach.stderr()).contains("attached to r1, r2 of process " + pair.pid());
                assertThat(attached(pair)).containsExactly("r1", "r2");
                Command status = CommandLine.run("status", Integer.toString(pair.pid()), "--runtime", both);
                assertThat(status.stdout()).contains("attached to r1 ", "attached to r2 ");
                Command send = CommandLine.run("send", Integer.toString(pair.pid()), "echo", "--runtime", both);
                assertThat(send.stderr()).contains("'" + both + "' is not one runtime");
                Command detach = CommandLine.run("detach", Integer.toString(pair.pid()), "--runtime", both);
                assertThat(detach.exitCode()).as(detach.evidence()).isZero();
                assertThat(attached(pair)).isEmpty();
                HostTrace.awaitNone(pair.jvm());
            }
            Command one = attach(pair, ProfilerJars.scripted(folder, EVENTS, "one"), "--runtime", "r1,r2");
            assertThat(one.exitCode()).as(one.evidence()).isEqualTo(10 + Status.ATTACH_REFUSED.number());
            assertThat(one.stderr()).contains("Mayfly-Runtimes: one", "--runtime chooses it");
            assertThat(attached(pair)).isEmpty();
        }
    }

    @Test
    @Requirement("X-16")
    void profilerIsAttachedToTwoOfThreeJvmsAndThenToAll() throws Exception {
        Path jar = ProfilerJars.scripted(folder, EVENTS);
        JvmGroup.use(3, jvm -> {
            String pid = Long.toString(jvm.pid());
            for (String chosen : List.of("r3,r1", "r2", "all")) {
                List<String> expected = switch (chosen) {
                    case "r3,r1" -> List.of("r1", "r3");
                    case "r2" -> List.of("r2");
                    default -> List.of("r1", "r2", "r3");
                };
                Command attach = CommandLine.run(
                        "attach", pid, "--profiler", jar.toString(), "--accept-lasting-cost", "--runtime", chosen);
                assertThat(attach.exitCode()).as(attach.evidence()).isZero();
                assertThat(attached(jvm)).isEqualTo(expected);
                Command detach = CommandLine.run("detach", pid, "--runtime", chosen);
                assertThat(detach.exitCode()).as(detach.evidence()).isZero();
                assertThat(attached(jvm)).isEmpty();
            }
            HostTrace.awaitNone(jvm);
        });
    }

    @ParameterizedTest
    @MethodSource("seconds")
    @Requirement({"X-02", "X-13", "X-15"})
    void profilerForTheFirstJvmIsAttachedToNoOther(Jdk jdk) throws Exception {
        try (JvmPair pair = JvmPair.start(jdk)) {
            Path jar = ProfilerJars.scripted(folder, EVENTS, "first");
            Command second = attach(pair, jar, "--runtime", "r2");
            assertThat(second.exitCode())
                    .as(second.evidence())
                    .isEqualTo(10 + Status.PROFILER_CANCEL_ACTIVATION.number());
            assertThat(second.stderr()).contains("Mayfly-Runtimes: first", "r2 is not the first");
            Command all = attach(pair, jar, "--runtime", "all");
            assertThat(all.exitCode()).as(all.evidence()).isEqualTo(10 + Status.ATTACH_REFUSED.number());
            assertThat(attached(pair)).isEmpty();
            Command first = attach(pair, jar);
            assertThat(first.exitCode()).as(first.evidence()).isZero();
            assertThat(attached(pair)).containsExactly("r1");
            detachAll(pair);
        }
    }

    @ParameterizedTest
    @MethodSource("seconds")
    @Requirement({"X-13", "X-15", "X-16"})
    void jvmOfAProfilerForOneIsTheUsersChoice(Jdk jdk) throws Exception {
        try (JvmPair pair = JvmPair.start(jdk)) {
            Path jar = ProfilerJars.scripted(folder, EVENTS, "one");
            Command any = attach(pair, jar);
            assertThat(any.exitCode()).as(any.evidence()).isNotZero();
            assertThat(any.stderr()).contains("--runtime chooses one");
            Command all = attach(pair, jar, "--runtime", "all");
            assertThat(all.stderr()).contains("Mayfly-Runtimes: one", "--runtime chooses it");
            Command contradictory = attach(pair, ProfilerJars.scripted(folder, EVENTS, "first many"));
            assertThat(contradictory.stderr()).contains("'first many'; they are first, one or many");
            assertThat(attached(pair)).isEmpty();
            Command one = attach(pair, jar, "--runtime", Integer.toString(jdk.feature()));
            assertThat(one.exitCode()).as(one.evidence()).isZero();
            assertThat(attached(pair)).containsExactly(pair.churn().words());
            detachAll(pair);
        }
    }

    @ParameterizedTest
    @MethodSource("seconds")
    @Requirement({"X-07", "X-17"})
    void oneTriggerPrintsTheEmissionsOfAllJvmsWithTheirIds(Jdk jdk) throws Exception {
        Path jar = ProfilerJars.scripted(folder, EVENTS);
        try (JvmPair pair = JvmPair.start(jdk);
                LaunchedMayfly trigger = LaunchedMayfly.startUnder(
                        List.of("env", "XDG_STATE_HOME=" + folder),
                        "attach",
                        Integer.toString(pair.pid()),
                        "--profiler",
                        jar.toString(),
                        "--accept-lasting-cost",
                        "--runtime",
                        "all",
                        "--follow")) {
            assertThat(List.of(
                            trigger.awaitStdout(": complete", Attached.LIMIT),
                            trigger.awaitStdout(": complete", Attached.LIMIT)))
                    .containsExactlyInAnyOrder("r1: complete", "r2: complete");
            for (String runtime : List.of("r1", "r2", "r1")) {
                send(pair, new RuntimeId.Choice(runtime), "emit from " + runtime);
                trigger.awaitStdout(runtime + ": from " + runtime, Attached.LIMIT);
            }
            ProfilerClient.detach(new DetachRequest(pair.pid(), "the test is over", Attached.LIMIT)
                    .on(Optional.of(new RuntimeId.Choice("r1"))));
            assertThat(trigger.process().isAlive()).isTrue();
            detachAll(pair);
            assertThat(trigger.process().waitFor(Duration.ofSeconds(30))).isTrue();
            assertThat(trigger.process().exitValue()).as(trigger.stderr()).isZero();
            assertThat(Files.readString(folder.resolve("mayfly/events.jsonl"))).contains(", r1\"", ", r2\"");
        }
    }

    private LaunchFiles launch(Path jar, Set<Integer> features) throws Exception {
        return LaunchFiles.temporary(new LaunchRequest(
                jar, Optional.empty(), Attached.LIMIT, Set.of(Acceptance.LASTING_COST), ApiPolicy.OLDER, features));
    }

    @ParameterizedTest
    @MethodSource("seconds")
    @Requirement({"X-12", "X-13"})
    void profilerForManyIsLaunchedInEachJvmThatReadsTheVariable(Jdk jdk) throws Exception {
        LaunchFiles files = launch(ProfilerJars.scripted(folder, EVENTS, "many"), Set.of());
        try (JvmPair pair = JvmPair.start(jdk, files.option())) {
            assertThat(attached(pair)).containsExactly("r1", "r2");
            assertThat(classesIn(pair, pair.aside()))
                    .contains("mayfly.targets.SecondJvmLoad")
                    .doesNotContain("mayfly.targets.ThreadAndClassChurn");
            assertThat(classesIn(pair, pair.churn())).contains("mayfly.targets.ThreadAndClassChurn");
            detach(pair);
        } finally {
            files.remove();
        }
    }

    @ParameterizedTest
    @MethodSource("seconds")
    @Requirement({"X-02", "X-12", "X-15"})
    void profilerForTheFirstJvmIsLaunchedInNoOther(Jdk jdk) throws Exception {
        LaunchRequest request = new LaunchRequest(
                ProfilerJars.scripted(folder, EVENTS, "first"),
                Optional.empty(),
                Attached.LIMIT,
                Set.of(Acceptance.LASTING_COST));
        // All JVMs of the process read the variable.
        LaunchFiles files = LaunchFiles.in(folder.resolve("launch"), request);
        try (JvmPair pair = JvmPair.start(jdk, files.option())) {
            assertThat(attached(pair)).containsExactly("r1");
            assertThat(pair.jvm().evidence())
                    .contains("this JVM runs without the profiler: the profiler is for the first JVM of a process");
            detach(pair);
        }
    }

    @ParameterizedTest
    @MethodSource("seconds")
    @Requirement({"X-03", "X-12"})
    void profilerForOneVersionIsLaunchedInItsJvm(Jdk jdk) throws Exception {
        LaunchFiles files = launch(ProfilerJars.scripted(folder, EVENTS), Set.of(jdk.feature()));
        try (JvmPair pair = JvmPair.start(jdk, files.option())) {
            assertThat(attached(pair)).containsExactly(pair.churn().words());
            assertThat(pair.jvm().evidence()).contains("it was requested for Java " + jdk.feature() + ", and this ");
            detach(pair);
        } finally {
            files.remove();
        }
    }

    @ParameterizedTest
    @MethodSource("seconds")
    @Requirement({"X-12", "X-16"})
    void profilerForSeveralVersionsIsLaunchedInTheirJvms(Jdk jdk) throws Exception {
        Path jar = ProfilerJars.scripted(folder, EVENTS);
        int first = JvmPair.first(jdk).feature();
        LaunchFiles both = launch(jar, Set.of(first, jdk.feature()));
        try (JvmPair pair = JvmPair.start(jdk, both.option())) {
            assertThat(attached(pair)).containsExactly("r1", "r2");
            detach(pair);
        } finally {
            both.remove();
        }
        LaunchFiles others = launch(jar, Set.of(18, 24));
        try (JvmPair pair = JvmPair.start(jdk, others.option())) {
            assertThat(attached(pair)).isEmpty();
            assertThat(pair.jvm().evidence())
                    .contains("it was requested for Java 18, 24, and this is Java " + first)
                    .contains("it was requested for Java 18, 24, and this is Java " + jdk.feature());
        } finally {
            others.remove();
        }
        assertThatThrownBy(() -> launch(ProfilerJars.scripted(folder, EVENTS, "one"), Set.of(17, 25)))
                .hasMessageContaining("--java chooses one version");
    }

    /** The launch libraries remain: a JVM never unloads the agents of its command line. */
    private static void detach(JvmPair pair) throws Exception {
        for (String runtime : attached(pair)) {
            ProfilerClient.detach(new DetachRequest(pair.pid(), "the test is over", Attached.LIMIT)
                    .on(Optional.of(new RuntimeId.Choice(runtime))));
        }
        assertThat(HostTrace.of(pair.jvm())).allMatch(line -> line.contains("/libmayflylaunch.so"));
        assertThat(pair.jvm().ask("load")).isEqualTo("a guest");
    }
}
