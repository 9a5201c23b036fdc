package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.channel.HostStatus;
import mayfly.attach.client.Acceptance;
import mayfly.attach.client.AttachRequest;
import mayfly.attach.client.DetachMode;
import mayfly.attach.client.DetachRequest;
import mayfly.attach.client.LogEntry;
import mayfly.attach.client.ProfilerClient;
import mayfly.audit.Audit;
import mayfly.audit.AuditKind;
import mayfly.kit.Command;
import mayfly.kit.Deadline;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.LaunchedMayfly;
import mayfly.kit.Requirement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A detached profiler leaves nothing behind. */
class DetachTest {
    private static final List<String> COLLECTORS = List.of(
            "-XX:+UseZGC",
            "-XX:+UseSerialGC",
            "-XX:+UseParallelGC",
            "-XX:+DisableExplicitGC",
            "-XX:+ExplicitGCInvokesConcurrent");

    /** The time after which a detach is overdue if the profiler announces none, see ProfilerInfo.requestDetach. */
    private static final Duration DEFAULT = Duration.ofSeconds(5);

    /** The time-out for an operation that does not complete. */
    private static final Duration SHORT = Duration.ofSeconds(3);

    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    static HostStatus status(Jvm jvm) throws Exception {
        return ProfilerClient.status(Math.toIntExact(jvm.pid()))
                .orElseThrow(() -> new AssertionError("nothing is attached"));
    }

    /** Waits until the host reports the state. */
    static HostStatus await(Jvm jvm, String state) throws Exception {
        Deadline deadline = Deadline.in(Attached.LIMIT);
        HostStatus status = status(jvm);
        while (!status.state().equals(state)) {
            deadline.check("still %s", status);
            status = status(jvm);
        }
        return status;
    }

    /** Returns the path that retains a pinned profiler: a heap walk long enough to find it needs permission. */
    static String path(Jvm jvm) throws Exception {
        ProfilerClient.requestDetach(new DetachRequest(
                Math.toIntExact(jvm.pid()), DetachMode.ASK, DetachRequest.Collections.ALWAYS, "look", Attached.LIMIT));
        Deadline deadline = Deadline.in(Attached.LIMIT);
        String pinnedBy = status(jvm).pinnedBy();
        while (!pinnedBy.startsWith("referenced by ")) {
            deadline.check(pinnedBy);
            pinnedBy = status(jvm).pinnedBy();
        }
        return pinnedBy;
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"D-01", "D-12", "D-27"})
    void detachedProfilerIsGoneAndAnotherIsAttached(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            Path jar = ProfilerJars.scripted(folder, ProfilerJars.ALL_EVENTS);
            String pid = Long.toString(jvm.pid());
            for (int i = 0; i < 2; i++) {
                said(
                        mayfly(
                                "attach",
                                pid,
                                "--profiler",
                                jar.toString(),
                                "--data",
                                "THREADS CLASS_LOADS",
                                "--accept-lasting-cost"),
                        "attached to process " + pid);
                assertThat(jvm.ask("load")).isEqualTo("a guest");
                Command counted = mayfly("send", pid, "count classLoaded");
                assertThat(Long.parseLong(counted.stdout().strip()))
                        .as(counted.evidence())
                        .isPositive();
                said(mayfly("detach", pid), "detached from process " + pid);
                assertThat(HostTrace.of(jvm)).isEmpty();
                Command status = mayfly("status", pid);
                assertThat(status.stdout()).startsWith("process " + pid + ": no profiler is attached\n");
            }
            Command withoutProfiler = mayfly("send", pid, "echo");
            assertThat(withoutProfiler.exitCode()).isEqualTo(10 + Status.NO_PROFILER.number());
            assertThat(withoutProfiler.stderr()).contains("[no-profiler]");
        }
    }

    /** The host writes the entry last, after the profiler's last callback has returned and its classes are unloaded. */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"D-10", "D-27", "D-29"})
    void profilerThatDetachesItselfIsLogged(Jdk jdk) throws Exception {
        Path log = folder.resolve("mayfly/events.jsonl");
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            Path jar = ProfilerJars.scripted(folder, ProfilerJars.ALL_EVENTS);
            String pid = Long.toString(jvm.pid());
            said(
                    mayfly("attach", pid, "--profiler", jar.toString(), "--accept-lasting-cost"),
                    "attached to process " + pid);
            Path told = folder.resolve("told");
            for (String command : List.of("final-file " + told, "detach")) {
                ProfilerClient.send(
                        Math.toIntExact(jvm.pid()), command.getBytes(StandardCharsets.UTF_8), Attached.LIMIT);
            }
            Deadline deadline = Deadline.in(Attached.LIMIT);
            while (Files.readAllLines(log).size() < 3) {
                deadline.check("the host has not written its entry");
            }
            assertThat(told).hasContent("detached");
            assertThat(Audit.of(Math.toIntExact(jvm.pid()))
                            .section(AuditKind.CLASSES)
                            .items()
                            .keySet())
                    .noneMatch(item -> item.contains("mayfly.host") || item.contains("mayfly.profilers"));
            HostTrace.awaitNone(jvm);
            assertThat(Files.readAllLines(log))
                    .hasSize(3)
                    .last()
                    .asString()
                    .matches("\\{\"time\":\"\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{9}Z\","
                            + "\"level\":\"information\",\"what\":\"gone\",\"pid\":" + pid
                            + ",\"status\":\"OK\",\"message\":\".*no command waited for the detach\"}");
        }
    }

    /** Detaches without waiting, and returns the content of the log, a file of the target's user. */
    private String loggedBy(Jvm.Plan plan, boolean ofNobody) throws Exception {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path log = Files.writeString(folder.resolve("log"), "");
        Files.setPosixFilePermissions(log, PosixFilePermissions.fromString("rw-------"));
        if (ofNobody) {
            Files.setAttribute(log, "unix:uid", 65534);
        }
        try (Jvm jvm = plan.start()) {
            int pid = Math.toIntExact(jvm.pid());
            ProfilerClient.attach(new AttachRequest(
                            pid,
                            ProfilerJars.scripted(folder, ""),
                            Optional.empty(),
                            Optional.of(new byte[0]),
                            Attached.LIMIT,
                            Acceptance.LASTING_COST)
                    .logging(Optional.of(new LogEntry(log, "an entry}"))));
            ProfilerClient.requestDetach(pid, "go", Attached.LIMIT);
            HostTrace.awaitNone(jvm);
        }
        String logged = Files.readString(log);
        Files.delete(log);
        return logged;
    }

    /** The host writes nothing, although the target's process could write to the file. */
    @Test
    void hostOfAnotherUserOrMountNamespaceGetsNoLog() throws Exception {
        String[] asNobody = Privileges.asNobody().toArray(String[]::new);
        assertThat(loggedBy(Jvm.run("ThreadAndClassChurn"), false)).endsWith("Z\",an entry}\n");
        assertThat(loggedBy(Jvm.run("ThreadAndClassChurn").under(asNobody), true))
                .isEmpty();
        assertThat(loggedBy(Namespaces.newTmp(Jvm.run("ThreadAndClassChurn"), "rw"), false))
                .isEmpty();
    }

    /** The waiting command writes the entry; the host writes none. */
    @ParameterizedTest
    @MethodSource("jdks")
    void detachCommandThatWaitsLogsOneEntry(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            String pid = Long.toString(jvm.pid());
            Path jar = ProfilerJars.scripted(folder, "");
            said(mayfly("attach", pid, "--profiler", jar.toString()), "attached to process " + pid);
            said(mayfly("detach", pid), "detached from process " + pid);
            HostTrace.awaitNone(jvm);
            assertThat(Files.readAllLines(folder.resolve("mayfly/events.jsonl")))
                    .hasSize(3)
                    .last()
                    .asString()
                    .contains("\"what\":\"detach\"");
        }
    }

    /** The log is in the test's folder. */
    private Command mayfly(String... arguments) {
        return LaunchedMayfly.runWithState(folder, Attached.LIMIT, arguments);
    }

    private static void said(Command done, String words) {
        assertThat(done.exitCode()).as(done.evidence()).isZero();
        assertThat(done.stderr()).contains(words);
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"D-02", "D-04", "D-24"})
    void callsAfterADetachRequestFail(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            Attached profiler = Attached.to(jvm, folder, "THREADS");
            assertThat(profiler.ask("detach-twice")).isEqualTo("OK PROFILER_DETACHING PROFILER_DETACHING");
            HostTrace.awaitNone(jvm);
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"D-22", "D-25"})
    void detachRequestDuringInitializationIsRefused(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            Attached profiler = Attached.to(jvm, folder, "detach-at-once THREADS");
            assertThat(profiler.ask("early")).isEqualTo(Status.NOT_YET_INITIALIZED.name());
            jvm.ask("thread one");
            assertThat(profiler.count("threadCreated")).isPositive();
            profiler.detach();
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"D-05", "D-14", "D-16"})
    void threadOfTheProfilerIsNamedAndAwaited(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            Attached profiler = Attached.to(jvm, folder, "THREADS");
            assertThat(profiler.ask("detach-from-thread")).isEqualTo("a thread asks");
            HostStatus pinned = await(jvm, "pinned");
            assertThat(pinned.pinnedBy())
                    .startsWith("thread \"asks and stays\" in mayfly.profilers.testing.ScriptedProfiler.");
            assertThat(Attached.statusOf(() -> Attached.to(jvm, folder, ""))).isEqualTo(Status.PROFILER_ALREADY_ACTIVE);
            jvm.ask("release");
            HostTrace.collectUntilNone(jvm);
        }
    }

    /** A timer runs no callback, and its code is on no stack most of the time. The host finds it by its references. */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("D-15")
    void runningTimerOrExecutorIsNamedAndAwaited(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            Attached profiler = Attached.to(jvm, folder, "");
            profiler.ask("timer");
            profiler.ask("stop-timer");
            profiler.detach();
            assertThat(HostTrace.of(jvm)).as("a timer that was ended").isEmpty();
        }
        for (String what : List.of("timer", "executor")) {
            try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
                Attached profiler = Attached.to(jvm, folder, "");
                profiler.ask(what);
                Deadline deadline = Deadline.in(Attached.LIMIT);
                while (profiler.count("ticks") < 3) {
                    deadline.check("the " + what + " has not run three times");
                }
                assertThat(profiler.ask("detach")).isEqualTo("OK");
                // While the task runs, its code is on a stack and the task may be in no queue, so the reported retainer
                // varies.
                for (String pinnedBy = "";
                        !pinnedBy.matches("(.*mayfly\\.profilers\\.testing\\.ScriptedProfiler\\$|referenced by a live"
                                + " thread).*"); ) {
                    deadline.check("%s: %s", what, pinnedBy);
                    pinnedBy = await(jvm, "pinned").pinnedBy();
                }
                assertThat(jvm.ask("thread another")).as("the program goes on").isEqualTo("ended");
            }
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"D-11", "D-26"})
    void runningCallbackDelaysTheDetachAndIsNamed(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            Attached profiler = Attached.to(jvm, folder, "CLASS_LOADS");
            jvm.ask("churn");
            profiler.ask("hang-classes");
            Deadline deadline = Deadline.in(Attached.LIMIT);
            while (!status(jvm).longest().startsWith("classLoaded on thread ")) {
                deadline.check("the state was not reached");
            }
            assertThat(late(jvm)).contains("; now its callback classLoaded is running on thread ");
            assertThat(await(jvm, "detaching").callbacks()).isPositive();
            assertThat(jvm.ask("thread another"))
                    .as("the rest of the program goes on")
                    .isEqualTo("ended");
            assertThat(Attached.statusOf(() -> Attached.to(jvm, folder, ""))).isEqualTo(Status.PROFILER_ALREADY_ACTIVE);
            jvm.ask("release");
            HostTrace.collectUntilNone(jvm);
        }
    }

    /** Returns the message of a detach that exceeds its time-out. */
    private static String late(Jvm jvm) {
        AttachFailed late = Attached.failure(() -> ProfilerClient.detach(Math.toIntExact(jvm.pid()), "go", SHORT));
        assertThat(late.status()).isEqualTo(Status.TIMEOUT);
        return String.valueOf(late.getMessage());
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("D-01")
    void profilerThatIgnoresADetachRequestIsReportedAsActive(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            Attached profiler = Attached.to(jvm, folder, "THREADS");
            profiler.ask("stay");
            assertThat(late(jvm)).contains("; now it is still active");
            jvm.ask("thread one");
            assertThat(profiler.count("threadCreated")).isPositive();
            assertThat(profiler.ask("detach")).isEqualTo("OK");
            HostTrace.awaitNone(jvm);
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"D-17", "D-18"})
    void callbackMayRequestTheDetachAndReturns(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            Attached profiler = Attached.to(jvm, folder, "CLASS_LOADS");
            jvm.ask("churn");
            profiler.ask("detach-in-callback");
            HostTrace.awaitNone(jvm);
            assertThat(jvm.ask("load")).isEqualTo("a guest");
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("D-06")
    void detachIsOverdueAfterItsAnnouncedTime(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            Attached profiler = Attached.to(jvm, folder, "");
            profiler.ask("leak");
            assertThat(profiler.ask("detach 1")).isEqualTo("OK");
            HostStatus pinned = await(jvm, "pinned");
            assertThat(pinned.pinnedBy()).contains("leaked by a profiler");
            // The profiler may be reported as pinned before the millisecond is over.
            Deadline deadline = Deadline.in(Attached.LIMIT);
            while (!status(jvm).overdue()) {
                deadline.check("the state was not reached");
            }
            jvm.ask("release");
            HostTrace.collectUntilNone(jvm);
            Attached second = Attached.to(jvm, folder, "");
            assertThat(second.ask("detach")).isEqualTo("OK");
            HostTrace.awaitNone(jvm);
        }
    }

    /** The host receives the request after the first of two times and before the second. */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("D-08")
    void detachWithoutAnAnnouncedTimeIsOverdueAfterFiveSeconds(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            Attached profiler = Attached.to(jvm, folder, "");
            profiler.ask("leak");
            long begun = System.nanoTime();
            assertThat(profiler.ask("detach 0")).isEqualTo("OK");
            long requested = System.nanoTime();
            Deadline deadline = Deadline.in(Attached.LIMIT);
            long notYet = requested;
            for (long asked = notYet; !status(jvm).overdue(); asked = System.nanoTime()) {
                notYet = asked;
                deadline.check("the state was not reached");
            }
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThanOrEqualTo(DEFAULT);
            assertThat(Duration.ofNanos(notYet - requested)).isLessThanOrEqualTo(DEFAULT);
            jvm.ask("release");
            HostTrace.collectUntilNone(jvm);
        }
    }

    /** If JVMTI was acquired or has no lasting cost, the host searches the heap; otherwise only the usual places. */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("D-14")
    void retainerIsNamedWithItsPathUntilItIsRemoved(Jdk jdk) throws Exception {
        for (String events : List.of("", "CLASS_LOADS")) {
            try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
                Attached profiler =
                        events.isEmpty() ? Attached.withoutJvmti(jvm, folder) : Attached.to(jvm, folder, events);
                assertThat(profiler.ask("bean")).isEqualTo("registered");
                assertThat(profiler.ask("detach")).isEqualTo("OK");
                String pinnedBy = await(jvm, "pinned").pinnedBy();
                if (jdk.feature() >= 21 && events.isEmpty()) {
                    assertThat(pinnedBy).isEqualTo("the MBean testing:type=Bean -> mayfly.host.MemoryLoader");
                } else {
                    assertThat(path(jvm))
                            .contains("com.sun.jmx.")
                            .contains(" mayfly.profilers.testing.ScriptedProfiler$Bean");
                }
                assertThat(jvm.ask("forget")).isEqualTo("forgotten");
                HostTrace.collectUntilNone(jvm);
            }
        }
    }

    static List<Jdk> jdksWithVirtualThreads() {
        return AttachTest.hosts().stream().filter(jdk -> jdk.feature() >= 21).toList();
    }

    @ParameterizedTest
    @MethodSource("jdksWithVirtualThreads")
    @Requirement("D-14")
    void virtualThreadOfTheProfilerIsNamedAndAwaited(Jdk jdk) throws Exception {
        for (String how : List.of("virtual", "virtual-executor")) {
            try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
                Attached profiler = Attached.withoutJvmti(jvm, folder);
                assertThat(profiler.ask(how)).isEqualTo("started");
                assertThat(late(jvm))
                        .containsPattern("; now that is virtual thread #\\d+"
                                + (how.equals("virtual") ? " \"kept\"" : "")
                                + " -> mayfly\\.profilers\\.testing\\.ScriptedProfiler");
                assertThat(status(jvm).pinnedBy()).startsWith("virtual thread #");
                jvm.ask("release");
                HostTrace.collectUntilNone(jvm);
            }
        }
    }

    /** The JVM ignores the program's requests for a collection, and JVMTI was not acquired. */
    @ParameterizedTest
    @MethodSource("jdks")
    void detachIsProvenWithDisableExplicitGc(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn")
                .on(jdk)
                .with("-XX:+DisableExplicitGC")
                .start()) {
            assertThat(Attached.to(jvm, folder, "").detach().collections()).isPositive();
            assertThat(HostTrace.of(jvm)).isEmpty();
        }
    }

    /** Every build uses the collector that differs most; not every JDK includes Shenandoah. */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"D-09", "D-13"})
    void detachIsProvenWithEveryCollector(Jdk jdk) throws Exception {
        for (String option : Scale.DEEP ? COLLECTORS : COLLECTORS.subList(0, 1)) {
            try (Jvm jvm = Jvm.run("ThreadAndClassChurn")
                    .on(jdk)
                    .with(option, "-Xmx128m")
                    .start()) {
                Attached profiler = Attached.to(jvm, folder, "THREADS CLASS_LOADS GARBAGE_COLLECTIONS");
                assertThat(jvm.ask("load")).isEqualTo("a guest");
                Path told = folder.resolve("told-" + jdk.feature() + option.replace(':', '-'));
                profiler.ask("final-file " + told);
                assertThat(profiler.detach().collections()).as(option).isPositive();
                assertThat(HostTrace.of(jvm)).as(option).isEmpty();
                assertThat(told).as("the last callback was called once").hasContent("detached");
            }
        }
    }
}
