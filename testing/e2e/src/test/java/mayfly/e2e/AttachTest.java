package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.client.Acceptance;
import mayfly.attach.client.AttachRequest;
import mayfly.attach.client.ProfilerClient;
import mayfly.host.HostLibrary;
import mayfly.kit.Command;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.Patience;
import mayfly.kit.Requirement;
import mayfly.profile.RuntimeId;
import mayfly.profilers.testing.ScriptedProfiler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Attaching a profiler to a running JVM. */
class AttachTest {
    @TempDir
    private Path folder;

    /** Returns the JDKs whose JVMs can host a profiler. */
    static List<Jdk> hosts() {
        return Scale.jdks().stream().filter(jdk -> jdk.feature() >= 17).toList();
    }

    /** Returns those of them that run a test in this build: see {@link Scale#jdks(TestInfo)}. */
    static List<Jdk> jdks(TestInfo test) {
        return Scale.jdks(test).stream().filter(jdk -> jdk.feature() >= 17).toList();
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"A-01", "A-05"})
    void profilerIsAttachedToARunningJvm(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            Attached profiler = Attached.to(jvm, folder, "THREADS CLASS_LOADS");
            assertThat(profiler.ask("echo still there")).isEqualTo("still there");
            assertThat(ProfilerClient.status(Math.toIntExact(jvm.pid()))).hasValueSatisfying(status -> {
                assertThat(status.state()).isEqualTo("active");
                assertThat(status.profiler()).isEqualTo(ScriptedProfiler.class.getName());
            });
            profiler.detach();
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"A-02", "A-03"})
    void profilerReceivesItsDataByteForByte(Jdk jdk) throws Exception {
        Path jar = ProfilerJars.scripted(folder, "");
        byte[] all = new byte[AttachRequest.MAX_DATA];
        for (int i = 0; i < all.length; i++) {
            all[i] = (byte) (i * 31 + i / 256);
        }
        try (Jvm jvm = Jvm.run("Idle").on(jdk).start()) {
            int pid = Math.toIntExact(jvm.pid());
            for (Optional<byte[]> data :
                    List.of(Optional.<byte[]>empty(), Optional.of(new byte[0]), Optional.of(all))) {
                ProfilerClient.attach(new AttachRequest(
                        pid, jar, Optional.of(ScriptedProfiler.class.getName()), data, Attached.LIMIT));
                assertThat(new String(ProfilerClient.send(pid, "data".getBytes(), Attached.LIMIT)))
                        .isEqualTo(data.map(bytes -> bytes.length + " " + Arrays.hashCode(bytes))
                                .orElse("none"));
                ProfilerClient.detach(pid, "next", Attached.LIMIT);
            }
            AttachFailed tooMuch = Attached.failure(() -> ProfilerClient.attach(new AttachRequest(
                    pid, jar, Optional.empty(), Optional.of(new byte[AttachRequest.MAX_DATA + 1]), Attached.LIMIT)));
            assertThat(tooMuch.status()).isEqualTo(Status.ATTACH_REFUSED);
            assertThat(tooMuch).hasMessageContaining("1 MiB");
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"A-08", "A-22"})
    void secondAttachIsRefusedNamingTheActiveProfiler(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Idle").on(jdk).start()) {
            Attached first = Attached.to(jvm, folder, "");
            AttachFailed second = Attached.failure(() -> Attached.to(jvm, folder, ""));
            assertThat(second.status()).isEqualTo(Status.PROFILER_ALREADY_ACTIVE);
            assertThat(second).hasMessageContaining(ScriptedProfiler.class.getName());
            first.detach();
            Attached.to(jvm, folder, "").detach();
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"A-17", "A-18"})
    void failedInitializationIsReportedAndLeavesNothing(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Idle").on(jdk).start()) {
            AttachFailed thrown = Attached.failure(() -> Attached.to(jvm, folder, "THREADS throw"));
            assertThat(thrown.status()).isEqualTo(Status.FAILED);
            assertThat(thrown).hasMessage("java.lang.IllegalStateException: thrown as requested");
            assertThat(thrown.detail()).contains("ScriptedProfiler.initializeForAttach");
            AttachFailed declined = Attached.failure(() -> Attached.to(jvm, folder, "decline"));
            assertThat(declined.status()).isEqualTo(Status.PROFILER_CANCEL_ACTIVATION);
            assertThat(declined).hasMessage("declined as requested");
            AttachFailed late = Attached.failure(() -> Attached.to(jvm, folder, "throw-complete"));
            assertThat(late).hasMessageContaining("completion failed as requested");
            HostTrace.awaitNone(jvm);
            Attached.to(jvm, folder, "").detach();
        }
    }

    /**
     * Before a fix, two of 40 attaches on a busy machine failed as "refused" with a broken pipe: the host had ended at
     * its own time-out.
     */
    @Test
    @Requirement("A-04")
    void attachWithAShortTimeoutSucceedsOrTimesOut() throws Exception {
        Path jar = ProfilerJars.scripted(folder, "");
        try (Jvm jvm = Jvm.run("Idle").start()) {
            int pid = Math.toIntExact(jvm.pid());
            Attached.to(jvm, folder, "").detach();
            for (int millis = 4; millis < 200; millis += 4) {
                AttachRequest request = new AttachRequest(
                        pid,
                        jar,
                        Optional.empty(),
                        Optional.of(new byte[AttachRequest.MAX_DATA]),
                        Duration.ofMillis(millis),
                        Acceptance.LASTING_COST);
                try {
                    ProfilerClient.attach(request);
                } catch (AttachFailed e) {
                    assertThat(e.status()).as(millis + " ms: " + e).isEqualTo(Status.TIMEOUT);
                }
                detach(pid);
                HostTrace.awaitNone(jvm);
            }
        }
    }

    /** Detaches a profiler whose host may unload itself at any moment. */
    private static void detach(int pid) throws AttachFailed {
        try {
            ProfilerClient.detach(pid, "done", Attached.LIMIT);
        } catch (AttachFailed e) {
            assertThat(e.status()).as(e.toString()).isEqualTo(Status.NO_PROFILER);
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"A-04", "A-06", "A-07"})
    void attachThatTimesOutIsReportedAsInitializing(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Idle").on(jdk).start()) {
            int pid = Math.toIntExact(jvm.pid());
            Path jar = ProfilerJars.scripted(folder, "");
            AttachFailed late = Attached.failure(() -> ProfilerClient.attach(new AttachRequest(
                    pid, jar, Optional.empty(), Optional.of("hang".getBytes()), Patience.of(Duration.ofMillis(1500)))));
            assertThat(late.status()).as(late.toString()).isEqualTo(Status.TIMEOUT);
            assertThat(late).hasMessageContaining("initialisation did not return");
            assertThat(ProfilerClient.status(pid)).hasValueSatisfying(status -> {
                assertThat(status.state()).isEqualTo("initializing");
                assertThat(status.longest()).startsWith("initializeForAttach on thread ");
            });
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("A-21")
    void oneOfSeveralConcurrentAttachesSucceeds(Jdk jdk) throws Exception {
        Path jar = ProfilerJars.scripted(folder, "");
        int triggers = 4;
        try (Jvm jvm = Jvm.run("Idle").on(jdk).start()) {
            AtomicInteger won = new AtomicInteger();
            AtomicInteger told = new AtomicInteger();
            CountDownLatch start = new CountDownLatch(1);
            Thread[] threads = new Thread[triggers];
            for (int i = 0; i < triggers; i++) {
                threads[i] = Thread.ofPlatform().start(() -> {
                    try {
                        start.await();
                        ProfilerClient.attach(Attached.request(jvm, jar, ""));
                        won.incrementAndGet();
                    } catch (AttachFailed e) {
                        if (e.status() == Status.PROFILER_ALREADY_ACTIVE) {
                            told.incrementAndGet();
                        } else {
                            e.printStackTrace();
                        }
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                });
            }
            start.countDown();
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(won).hasValue(1);
            assertThat(told).hasValue(triggers - 1);
            ProfilerClient.detach(Math.toIntExact(jvm.pid()), "done", Attached.LIMIT);
        }
    }

    @Test
    @Requirement("A-13")
    void processWithoutAStartedJvmIsRefusedUnharmed() throws Exception {
        Path jar = ProfilerJars.scripted(folder, "");
        Process sleeping = new ProcessBuilder("sleep", "1000").start();
        try (Jvm stubborn = Jvm.run("Idle").with("-Xrs").start()) {
            AttachFailed notOne = Attached.failure(() -> ProfilerClient.attach(new AttachRequest(
                    Math.toIntExact(sleeping.pid()),
                    jar,
                    Optional.empty(),
                    Optional.empty(),
                    Attached.LIMIT,
                    Acceptance.LASTING_COST)));
            assertThat(notOne.status()).isEqualTo(Status.RUNTIME_NOT_LOADED);
            assertThat(sleeping.isAlive()).isTrue();
            AttachFailed noSignals = Attached.failure(() -> ProfilerClient.attach(Attached.request(stubborn, jar, "")));
            assertThat(noSignals.status()).isEqualTo(Status.ATTACH_REFUSED);
            assertThat(noSignals).hasMessageContaining("-Xrs");
            assertThat(stubborn.ask("still there?")).isEqualTo("still there?");
        } finally {
            sleeping.destroyForcibly();
        }
    }

    @Test
    @Requirement("A-11")
    void invalidJarIsRefusedBeforeTheTargetIsTouched() throws Exception {
        try (Jvm jvm = Jvm.run("Idle").start()) {
            int pid = Math.toIntExact(jvm.pid());
            Path text = Files.writeString(folder.resolve("text.jar"), "no jar");
            Path newer = ProfilerJars.jar(
                    folder.resolve("newer.jar"), ProfilerJars.manifest(ScriptedProfiler.class.getName(), "2", ""));
            Path noClass =
                    ProfilerJars.jar(folder.resolve("none.jar"), ProfilerJars.manifest("no.such.Profiler", "1", ""));
            Path unknown = ProfilerJars.jar(
                    folder.resolve("event.jar"), ProfilerJars.manifest(ScriptedProfiler.class.getName(), "1", "LUNCH"));
            for (var refused : List.of(
                    List.of(folder.resolve("missing.jar"), "does not exist"),
                    List.of(text, "is not a jar"),
                    List.of(newer, "needs version 2 of the api"),
                    List.of(noClass, "has no class no.such.Profiler"),
                    List.of(unknown, "unknown event: LUNCH"),
                    List.of(folder, "is not a file"))) {
                AttachFailed failed = Attached.failure(() -> ProfilerClient.attach(new AttachRequest(
                        pid,
                        (Path) refused.get(0),
                        Optional.empty(),
                        Optional.empty(),
                        Attached.LIMIT,
                        Acceptance.LASTING_COST)));
                assertThat(failed.status()).isEqualTo(Status.ATTACH_REFUSED);
                assertThat(failed).hasMessageContaining((String) refused.get(1));
            }
            assertThat(Files.exists(Path.of("/tmp/.java_pid" + pid)))
                    .as("the attach listener was not even requested")
                    .isFalse();
            Path scripted = ProfilerJars.scripted(folder, "");
            assertThat(Attached.failure(() -> ProfilerClient.attach(new AttachRequest(
                            pid,
                            scripted,
                            Optional.of("mayfly.profilers.testing.NotAProfiler"),
                            Optional.empty(),
                            Attached.LIMIT,
                            Acceptance.LASTING_COST))))
                    .hasMessageContaining("does not implement mayfly.api.Profiler");
            HostTrace.awaitNone(jvm);
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"G-03", "A-10"})
    void attachToAStoppedJvmIsRefusedAtOnceWithoutThreadDump(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Idle").on(jdk).start()) {
            Signals.stop(jvm);
            AttachFailed stopped = Attached.failure(() -> Attached.to(jvm, folder, ""));
            Signals.resume(jvm);
            assertThat(stopped.status()).isEqualTo(Status.RUNTIME_SUSPENDED);
            assertThat(jvm.ask("still there?")).isEqualTo("still there?");
            assertThat(jvm.stdout()).doesNotContain("Full thread dump");
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("A-23")
    void attachIsRefusedIfClassesAreNeverUnloaded(Jdk jdk) throws Exception {
        for (String[] options :
                new String[][] {{"-XX:-ClassUnloading"}, {"-XX:+UnlockExperimentalVMOptions", "-XX:+UseEpsilonGC"}}) {
            try (Jvm jvm = Jvm.run("Idle").on(jdk).with(options).start()) {
                AttachFailed refused = Attached.failure(() -> Attached.to(jvm, folder, ""));
                assertThat(refused.status()).isEqualTo(Status.ATTACH_REFUSED);
                assertThat(refused)
                        .hasMessageContaining("never unloads classes")
                        .hasMessageContaining("--accept-remaining-classes");
                assertThat(HostTrace.of(jvm)).isEmpty();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"G-01", "G-02"})
    void profilerIsAttachedDuringAndAfterADebuggerSession(Jdk jdk) throws Exception {
        int port = Debugger.freePort();
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn")
                .on(jdk)
                .with(Debugger.option(port))
                .start()) {
            try (Debugger session = Debugger.attach(port)) {
                Attached during = Attached.to(jvm, folder, "THREADS CLASS_LOADS GARBAGE_COLLECTIONS");
                assertThat(jvm.ask("load")).isEqualTo("a guest");
                assertThat(during.count("classLoaded")).isPositive();
                during.detach();
                assertThat(HostTrace.of(jvm)).isEmpty();
                session.quit();
            }
            Attached around = Attached.to(jvm, folder, "CLASS_LOADS");
            try (Debugger session = Debugger.attach(port)) {
                assertThat(jvm.ask("load")).isEqualTo("a guest");
                session.quit();
            }
            assertThat(jvm.ask("load")).isEqualTo("a guest");
            assertThat(around.count("classLoaded")).isGreaterThanOrEqualTo(2);
            around.detach();
            assertThat(HostTrace.of(jvm)).isEmpty();
        }
    }

    @Test
    void lastingCostIsRefusedUnlessAccepted() throws Exception {
        Path jar = ProfilerJars.scripted(folder, "COMPILED_METHODS");
        Path without = Files.createDirectory(folder.resolve("without"));
        try (Jvm jvm = Jvm.run("Idle").start()) {
            int pid = Math.toIntExact(jvm.pid());
            assertThatThrownBy(() -> ProfilerClient.attach(
                            new AttachRequest(pid, jar, Optional.empty(), Optional.empty(), Attached.LIMIT)))
                    .asInstanceOf(type(AttachFailed.class))
                    .extracting(AttachFailed::status)
                    .isEqualTo(Status.LASTING_COST_NOT_ACCEPTED);
            Path stacks = ProfilerJars.scripted(without, "STACK_SNAPSHOTS");
            ProfilerClient.attach(new AttachRequest(
                    pid, stacks, Optional.empty(), Optional.of("STACK_SNAPSHOTS".getBytes()), Attached.LIMIT));
            assertThat(ProfilerClient.status(pid))
                    .hasValueSatisfying(status -> assertThat(status.jvmti()).isFalse());
            assertThat(new String(ProfilerClient.send(pid, "stack main".getBytes(), Attached.LIMIT)))
                    .contains("mayfly.targets.Idle.main");
            ProfilerClient.detach(pid, "done", Attached.LIMIT);
            HostTrace.awaitNone(jvm);
        }
    }

    /** Another libjvm is mapped beside the one that runs. It is not a runtime, and its version is ignored. */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("A-19")
    void chosenRuntimeOfSeveralIsAttachedTo(Jdk jdk) throws Exception {
        // JDKs built for newer systems need a newer C library than the program may have.
        List<Jdk> others = Jdk.oneOfEach().stream()
                .filter(other -> other.feature() != jdk.feature())
                .filter(other -> other.feature() == 17 || other.feature() == 25)
                .toList();
        assumeFalse(others.isEmpty(), "there is only one JDK");
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            for (Jdk other : others) {
                assertThat(jvm.ask("map " + other.home() + "/lib/server/libjvm.so"))
                        .as(jvm.evidence())
                        .isEqualTo("mapped");
            }
            Command ps = CommandLine.run("ps");
            assertThat(ps.stdout().lines().filter(line -> line.startsWith(jvm.pid() + " ")))
                    .singleElement()
                    .asString()
                    .containsPattern(" r1 +" + jdk.feature() + "\\b");
            Path jar = ProfilerJars.scripted(folder, "");
            AttachFailed none = Attached.failure(
                    () -> ProfilerClient.attach(request(jvm, jar, Optional.of(new RuntimeId.Choice("r2")))));
            assertThat(none.status()).isEqualTo(Status.RUNTIME_NOT_LOADED);
            assertThat(none).hasMessageContaining("has r1 (" + jdk.feature()).hasMessageContaining("no r2");
            for (Optional<RuntimeId.Choice> chosen : List.of(
                    Optional.<RuntimeId.Choice>empty(),
                    Optional.of(new RuntimeId.Choice("r1")),
                    Optional.of(new RuntimeId.Choice(Integer.toString(jdk.feature()))))) {
                ProfilerClient.attach(request(jvm, jar, chosen));
                ProfilerClient.detach(Math.toIntExact(jvm.pid()), "done", Attached.LIMIT);
            }
            assertThat(HostTrace.of(jvm)).isEmpty();
        }
    }

    /** The dynamic linker then loads libjvm as a dependency of another file, not through dlopen. */
    @Test
    @Requirement("A-01")
    void profilerIsAttachedToAProgramLinkedWithLibjvm() throws Exception {
        Jdk jdk = Jdk.current();
        Path libraries = jdk.libjvm().getParent();
        Path include = jdk.home().resolve("include");
        Path program = CSource.build(
                "linked", "-I" + include, "-I" + include.resolve("linux"), "-L" + libraries, "-ljvm", "-lpthread");
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn")
                .on(jdk)
                .environment("LD_LIBRARY_PATH", libraries.toString())
                .under(program.toString())
                .start()) {
            Attached profiler = Attached.to(jvm, folder, "THREADS SUSPENSIONS");
            assertThat(profiler.ask("echo there")).isEqualTo("there");
            profiler.detach();
            assertThat(HostTrace.of(jvm)).isEmpty();
            assertThat(jvm.exit()).as(jvm.evidence()).isZero();
        }
    }

    /** Passes the options of the attach command through jcmd; they name a libjvm at another address. */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("A-19")
    void hostLoadedIntoAnotherRuntimeLeavesNothing(Jdk jdk) throws Exception {
        Path library = folder.resolve("host.so");
        try (InputStream in = HostLibrary.open()) {
            assumeTrue(in != null, "built without a C compiler, so there is no host");
            Files.copy(in, library);
        }
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            String options = "1," + "0".repeat(32) + "," + Long.MAX_VALUE + ",l,7f0000000000";
            Command load = Command.run(
                    Attached.LIMIT,
                    Jdk.current().tool("jcmd").toString(),
                    Long.toString(jvm.pid()),
                    "JVMTI.agent_load",
                    library.toString(),
                    options);
            assertThat(load.stdout()).as(load.evidence()).contains("-1001");
            HostTrace.awaitNone(jvm);
            assertThat(Files.exists(Path.of("/tmp/.java_pid" + jvm.pid())))
                    .as("the listener was started for it")
                    .isFalse();
            assertThat(Files.readString(Path.of("/proc/" + jvm.pid() + "/maps")))
                    .doesNotContain(library.toString());
            Attached.to(jvm, folder, "").detach();
        }
    }

    private static AttachRequest request(Jvm jvm, Path jar, Optional<RuntimeId.Choice> runtime) {
        return new AttachRequest(
                        Math.toIntExact(jvm.pid()),
                        jar,
                        Optional.empty(),
                        Optional.empty(),
                        Attached.LIMIT,
                        Acceptance.LASTING_COST)
                .on(runtime);
    }
}
