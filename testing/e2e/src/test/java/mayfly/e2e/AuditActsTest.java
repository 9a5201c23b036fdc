package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import mayfly.audit.Audit;
import mayfly.audit.Audit.Owner;
import mayfly.audit.AuditComparison;
import mayfly.audit.AuditDifference;
import mayfly.audit.AuditKind;
import mayfly.audit.Verdict;
import mayfly.kit.Command;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.Requirement;
import mayfly.linux.LiveProcess;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Actions of the program itself in an audit: the audit shows them and does not report them as leftovers. */
class AuditActsTest {
    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    /** JDK 25 introduced the event jdk.CPUTimeSample. */
    static List<Jdk> jdksThatSampleCpuTime() {
        return AttachTest.hosts().stream().filter(jdk -> jdk.feature() >= 25).toList();
    }

    private static Audit audit(Jvm jvm) throws Exception {
        Audit audit = Audit.of(Math.toIntExact(jvm.pid()));
        assertThat(audit.sections().values()).as("each kind is seen").allMatch(section -> section.isSeen());
        return audit;
    }

    private static AuditComparison after(Jvm jvm, String... acts) throws Exception {
        Audit before = audit(jvm);
        for (String act : acts) {
            assertThat(jvm.ask(act)).as(jvm.evidence()).isEqualTo("done");
        }
        return AuditComparison.of(before, audit(jvm));
    }

    private static Set<String> came(AuditComparison comparison, Verdict verdict) {
        return comparison.of(verdict).stream()
                .filter(AuditDifference::came)
                .map(difference -> difference.kind().title() + ": " + difference.item())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("D-13")
    void theFirstSocketOfAProgramIsNoLeftover(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("AuditedActions").on(jdk).start()) {
            AuditComparison left = after(jvm, "socket");
            assertThat(left.of(Verdict.LEFTOVER)).isEmpty();
            assertThat(came(left, Verdict.CHANGED)).anyMatch(item -> item.startsWith("sockets: tcp"));
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("D-13")
    void aFlightRecordingOfTheProgramIsNoLeftover(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("AuditedActions").on(jdk).start()) {
            AuditComparison left = after(jvm, "jfr");
            assertThat(left.of(Verdict.LEFTOVER)).isEmpty();
            assertThat(came(left, Verdict.CHANGED))
                    .contains(
                            "flight recordings: 1 \"of the program\" RUNNING",
                            "JVMTI environments: environment of the flight recorder");
            assertThat(audit(jvm).of(Owner.AGENT)).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("D-13")
    void programThreadNamedLikeAHostThreadIsNoLeftover(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("AuditedActions").on(jdk).start()) {
            AuditComparison left = after(jvm, "thread Attach Listener", "thread Mayfly host");
            assertThat(left.of(Verdict.LEFTOVER)).isEmpty();
            assertThat(came(left, Verdict.CHANGED))
                    .contains("threads: \"Attach Listener\" of the program", "threads: \"Mayfly host\" of the program");
        }
    }

    /** The kernel gives a new thread its creator's name; the thread sets its own name once it runs. */
    @Test
    void newThreadIsListedByItsOwnName() throws Exception {
        Process program = new ProcessBuilder(
                        CSource.build("latenames", "-pthread").toString())
                .redirectErrorStream(true)
                .start();
        try (LiveProcess process = LiveProcess.open(Math.toIntExact(program.pid()))) {
            assertThat(program.inputReader().readLine()).isEqualTo("READY");
            int early = 0;
            for (int i = 0; i < 30; i++) {
                Map<String, Long> threads =
                        Audit.of(process).section(AuditKind.THREADS).items();
                early += threads.getOrDefault("maker", 0L) > 1 ? 1 : 0;
            }
            assertThat(early)
                    .as("of 30 audits, those with the name of a creator")
                    .isLessThan(15);
        } finally {
            program.destroyForcibly().onExit().join();
        }
    }

    /** For such a recording the JVM sets a handler for SIGPROF, which it did not have at its start. */
    @ParameterizedTest
    @MethodSource("jdksThatSampleCpuTime")
    @Requirement("D-13")
    void aFlightRecordingThatSamplesCpuTimeIsNoLeftover(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("AuditedActions").on(jdk).start()) {
            AuditComparison left = after(jvm, "jfr-cpu");
            assertThat(left.of(Verdict.LEFTOVER)).isEmpty();
            assertThat(came(left, Verdict.CHANGED))
                    .contains("signal handlers: SIGPROF has a handler, and the flight recorder samples CPU time");
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("D-13")
    void signalHandlerSetInJavaIsNoLeftover(Jdk jdk) throws Exception {
        for (String collector : List.of("-XX:+UseZGC", "-XX:+UseG1GC", "-XX:+UseSerialGC")) {
            try (Jvm jvm = Jvm.run("AuditedActions")
                    .on(jdk)
                    .with(collector, "-Xmx128m")
                    .start()) {
                AuditComparison left = after(jvm, "handle WINCH", "ignore URG");
                assertThat(left.of(Verdict.LEFTOVER)).isEmpty();
                assertThat(came(left, Verdict.CHANGED))
                        .contains("signal handlers: SIGWINCH has a handler, set in Java")
                        .contains("signal handlers: SIGURG is ignored, set in Java");
            }
        }
    }

    /** The attach listener that jcmd starts is a leftover. */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("D-13")
    void aFlightRecordingByJcmdIsNoLeftover(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("AuditedActions").on(jdk).start()) {
            Audit before = audit(jvm);
            Command jcmd = Command.run(
                    Attached.LIMIT,
                    Jdk.current().tool("jcmd").toString(),
                    Long.toString(jvm.pid()),
                    "JFR.start",
                    "name=asked");
            assertThat(jcmd.exitCode()).as(jcmd.evidence()).isZero();
            AuditComparison left = AuditComparison.of(before, audit(jvm));
            assertThat(came(left, Verdict.CHANGED)).contains("flight recordings: 1 \"asked\" RUNNING");
            assertThat(came(left, Verdict.LEFTOVER))
                    .allMatch(item -> item.startsWith("threads: \"Attach Listener\"")
                            || item.matches("(sockets: unix|files:) .*/\\.java_pid.*"));
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("D-13")
    void classTransformedByAnEarlierAgentIsNoLeftover(Jdk jdk) throws Exception {
        Manifest manifest = ProfilerJars.manifest("none", "1", "");
        manifest.getMainAttributes().putValue("Premain-Class", "mayfly.profilers.testing.RetransformingAgent");
        manifest.getMainAttributes().putValue("Can-Retransform-Classes", "true");
        Path jar = ProfilerJars.jar(folder.resolve("agent.jar"), manifest);
        try (Jvm jvm =
                Jvm.run("AuditedActions").on(jdk).with("-javaagent:" + jar).start()) {
            AuditComparison left = after(jvm, "retransform");
            assertThat(left.of(Verdict.LEFTOVER)).isEmpty();
            assertThat(came(left, Verdict.CHANGED))
                    .contains("transformed classes: redefinitions since the JVM started");
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("D-13")
    void programThreadNamedLikeAVmThreadIsNotAttributedToTheVm(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("AuditedActions").on(jdk).start()) {
            Set<String> before = audit(jvm).section(AuditKind.THREADS).items().keySet();
            assertThat(before)
                    .contains("VM Thread of the JVM", "\"Reference Handler\" of the JDK", "\"main\"")
                    .anyMatch(item -> item.startsWith("\"C1 CompilerThread0\" of the JVM"));
            AuditComparison left =
                    after(jvm, "thread GC Thread#99", "thread C2 CompilerThread99", "thread Common-Cleaner");
            for (String name : List.of("GC Thread#99", "C2 CompilerThread99", "Common-Cleaner")) {
                assertThat(left.differences())
                        .filteredOn(difference -> difference.item().equals("\"" + name + "\""))
                        .singleElement()
                        .extracting(AuditDifference::reason)
                        .isEqualTo("cannot be distinguished from a thread of the program");
            }
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("D-13")
    void hooksHandlersBeansAndChildrenOfTheProgramAreListed(Jdk jdk) throws Exception {
        for (String collector : List.of("-XX:+UseZGC", "-XX:+UseG1GC", "-XX:+UseSerialGC")) {
            try (Jvm jvm = Jvm.run("AuditedActions")
                    .on(jdk)
                    .with(collector, "-Xmx128m")
                    .start()) {
                Path log = folder.resolve("vm.log");
                AuditComparison left = after(jvm, "hook", "handler", "mbean", "level", "child");
                assertThat(left.of(Verdict.LEFTOVER)).isEmpty();
                assertThat(came(left, Verdict.CHANGED))
                        .contains(
                                "child processes: cat",
                                "uncaught-exception handlers: default: mayfly.targets.AuditedActions$Handler",
                                "uncaught-exception handlers: thread \"main\": mayfly.targets.AuditedActions$Handler",
                                "MBeans: mayfly.testing:type=Thing",
                                "log levels: \"mayfly.testing.logger\" = FINER")
                        .anyMatch(item -> item.startsWith("shutdown hooks: \"a hook\" (java.lang.Thread),"
                                + " runs mayfly.targets.AuditedActions$$Lambda"))
                        .noneMatch(item -> item.startsWith("MBeans: java."));
                Audit before = audit(jvm);
                assertThat(jvm.ask("diagnose " + folder.resolve("answer") + " vmLog output=" + log + " what=gc=info"))
                        .isEqualTo("asked");
                assertThat(came(AuditComparison.of(before, audit(jvm)), Verdict.CHANGED))
                        .contains("log outputs: file=" + log + ": all=off,gc=info");
                Files.delete(log);
            }
        }
    }

    /** The libjvm is only mapped; no JVM was started in it. */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("D-13")
    void mappedLibjvmWithoutAJvmHidesNothing(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            Audit before = audit(jvm);
            for (Jdk other : Scale.usual()) {
                if (other.feature() != jdk.feature()) {
                    assertThat(jvm.ask("map " + other.libjvm())).isEqualTo("mapped");
                }
            }
            Audit after = audit(jvm);
            assertThat(after.runtimes()).isEqualTo(before.runtimes());
            assertThat(AuditComparison.of(before, after).of(Verdict.LEFTOVER)).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("D-13")
    void auditComparisonGroupsAndSumsChanges(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("AuditedActions").on(jdk).start()) {
            Path saved = folder.resolve("saved");
            String pid = Long.toString(jvm.pid());
            assertThat(mayfly("audit", pid, "--save", saved.toString()).exitCode())
                    .isZero();
            Command nothing = mayfly("audit", pid, "--compare", saved.toString(), "-q");
            assertThat(nothing.exitCode()).as(nothing.evidence()).isZero();
            assertThat(nothing.stdout() + nothing.stderr()).isEmpty();
            assertThat(jvm.ask("pool 5")).isEqualTo("done");
            Command changed = mayfly("audit", pid, "--compare", saved.toString());
            assertThat(changed.exitCode()).as(changed.evidence()).isZero();
            assertThat(changed.stdout())
                    .contains("changed   threads: + 5 \"pool-#-thread-#\": ", "\nnot seen: ")
                    .containsPattern("\nno leftover was found; changed, by the program, the JVM or a profiler: threads"
                            + " \\(\\+[0-9]+");
            Command strict = mayfly("audit", pid, "--compare", saved.toString(), "--strict", "-q");
            assertThat(strict.exitCode()).as(strict.evidence()).isEqualTo(1);
            assertThat(strict.stdout() + strict.stderr()).isEmpty();
        }
    }

    private Command mayfly(String... arguments) {
        return CommandLine.run(arguments);
    }
}
