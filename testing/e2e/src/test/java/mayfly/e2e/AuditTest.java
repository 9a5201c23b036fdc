package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.Manifest;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.zip.CRC32;
import mayfly.api.Status;
import mayfly.audit.Audit;
import mayfly.audit.Audit.Owner;
import mayfly.audit.AuditComparison;
import mayfly.audit.AuditDifference;
import mayfly.audit.AuditKind;
import mayfly.audit.Verdict;
import mayfly.discovery.LibraryDirectory;
import mayfly.kit.Command;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.Patience;
import mayfly.kit.Requirement;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** An audit reports the exact state of the target, and nothing of a profiler that has been detached. */
class AuditTest {
    private static final Duration LIMIT = Patience.of(Duration.ofSeconds(60));
    private static final Pattern FLAG = Pattern.compile(" *\\S+ (\\S+) +:?= (.*?) +\\{[^{}]*} \\{([^{}]*)}");

    @TempDir
    private Path folder;

    static List<Jdk> jdks() {
        return AttachTest.hosts();
    }

    private static Audit audit(Jvm jvm) throws Exception {
        Audit audit = Audit.of(Math.toIntExact(jvm.pid()));
        assertThat(audit.sections().values()).as("each kind is seen").allMatch(section -> section.isSeen());
        return audit;
    }

    private static String jcmd(Jvm jvm, String... words) {
        List<String> line = new ArrayList<>(List.of(Jdk.current().tool("jcmd").toString(), Long.toString(jvm.pid())));
        line.addAll(List.of(words));
        Command done = Command.run(LIMIT, line.toArray(String[]::new));
        assertThat(done.exitCode()).as(done.evidence()).isZero();
        return done.stdout();
    }

    /** Performs the program's own recurring actions once, so that a repetition causes no difference. */
    private static void warm(Jvm jvm) {
        jvm.ask("thread warm");
        jvm.ask("load");
        jvm.ask("unload");
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"A-24", "D-13"})
    void detachLeavesOnlyWhatIsAllowed(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            warm(jvm);
            Audit before = audit(jvm);
            assertThat(before.of(Owner.MAYFLY)).isEmpty();
            Attached profiler = Attached.to(jvm, folder, ProfilerJars.ALL_EVENTS.replace(",", ""));
            assertThat(jvm.ask("load")).isEqualTo("a guest");
            assertThat(profiler.ask("classes")).contains("mayfly.targets.ThreadAndClassChurn");
            assertThat(audit(jvm).of(Owner.MAYFLY))
                    .containsAllEntriesOf(Map.of(
                            AuditKind.THREADS,
                            2L,
                            AuditKind.DESCRIPTORS,
                            4L,
                            AuditKind.MAPPINGS,
                            2L,
                            AuditKind.SOCKETS,
                            1L,
                            AuditKind.CLASS_LOADERS,
                            2L,
                            AuditKind.JVMTI_ENVIRONMENTS,
                            1L,
                            AuditKind.AGENTS,
                            1L))
                    .containsKey(AuditKind.CLASSES)
                    .doesNotContainKey(AuditKind.FILES);
            jvm.ask("unload"); // the program's own class
            profiler.detach();
            Audit after = audit(jvm);
            assertThat(after.of(Owner.MAYFLY)).isEmpty();
            AuditComparison comparison = AuditComparison.of(before, after);
            assertThat(notAllowed(comparison)).isEmpty();
            assertThat(comparison.of(Verdict.ALLOWED))
                    .extracting(AuditDifference::item)
                    .contains("anonymous page MAYFLY-JVMTI-ANCHOR-1", "empty environment, marked by Mayfly");
        }
    }

    /** A profiler without probes rewrites no code. */
    @ParameterizedTest
    @MethodSource("jdks")
    void attachedProfilerWithoutProbesRewritesNoCode(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            warm(jvm);
            Map<String, Long> before =
                    audit(jvm).section(AuditKind.TRANSFORMED_CLASSES).items();
            Attached profiler = Attached.to(jvm, folder, ProfilerJars.ALL_EVENTS.replace(",", ""));
            assertThat(jvm.ask("load")).isEqualTo("a guest");
            assertThat(profiler.ask("stack main")).isNotEmpty();
            assertThat(audit(jvm).section(AuditKind.TRANSFORMED_CLASSES).items())
                    .isEqualTo(before);
            assertThat(profiler.ask("detach")).isEqualTo("OK");
            HostTrace.awaitNone(jvm);
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"A-18", "D-13"})
    void failedInitializationRewritesNoCode(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            warm(jvm);
            Audit before = audit(jvm);
            assertThat(Attached.statusOf(() -> Attached.to(jvm, folder, "THREADS CLASS_LOADS throw-complete")))
                    .isEqualTo(Status.FAILED);
            HostTrace.awaitNone(jvm);
            jvm.ask("unload");
            assertThat(notAllowed(AuditComparison.of(before, audit(jvm)))).isEmpty();
        }
    }

    /** Returns all differences but threads that the JVM starts for collection and compilation. */
    static List<AuditDifference> notAllowed(AuditComparison comparison) {
        return comparison.differences().stream()
                .filter(difference -> difference.verdict() != Verdict.ALLOWED
                        && !difference.reason().startsWith("the JVM and the JDK start and end such threads"))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void leftoversAreReported(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            warm(jvm);
            Audit before = audit(jvm);
            Path kept = Files.writeString(folder.resolve("kept"), "");
            assertThat(jvm.ask("stay left behind")).isEqualTo("started");
            assertThat(jvm.ask("open " + kept)).isEqualTo("open");
            assertThat(jvm.ask("load")).isEqualTo("a guest");
            assertThat(jvm.ask("release")).isEqualTo("released");
            jcmd(jvm, "VM.set_flag", "HeapDumpOnOutOfMemoryError", "true");
            Path agent = CSource.library("agent");
            jcmd(jvm, "JVMTI.agent_load", agent.toString());
            Path mark = Files.createFile(Path.of("/tmp/.mayfly-" + jvm.pid() + "-0011223344556677"));
            AuditComparison left;
            try {
                left = AuditComparison.of(before, audit(jvm));
            } finally {
                Files.delete(mark);
            }
            assertThat(came(left, Verdict.CHANGED))
                    .contains(
                            "threads: \"left behind\"",
                            "descriptors: " + kept,
                            "class loaders: mayfly.targets.ThreadAndClassChurn$Loader, first class"
                                    + " mayfly.targets.ThreadAndClassChurn$Guest",
                            "classes: mayfly.targets.ThreadAndClassChurn$Guest in"
                                    + " mayfly.targets.ThreadAndClassChurn$Loader",
                            "system properties: mayfly.testing.release = (3 chars, CRC-32 " + crc("now") + ")");
            assertThat(came(left, Verdict.LEFTOVER))
                    .contains(
                            "files: " + mark,
                            "files: /tmp/.java_pid" + jvm.pid(),
                            "flags: HeapDumpOnOutOfMemoryError (management) = true",
                            "agents: " + agent + ": Agent_OnAttach",
                            "JVMTI environments: environment that calls agent")
                    .anyMatch(item -> item.startsWith("threads: \"Attach Listener\""));
        }
    }

    /** The host's library is in a directory of this name until the target has loaded it. */
    @ParameterizedTest
    @MethodSource("jdks")
    void libraryDirectoryIsALeftoverOfItsOwnProcessOnly(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            Audit before = audit(jvm);
            Path own = Path.of("/tmp", LibraryDirectory.prefix(Math.toIntExact(jvm.pid())) + "00112233");
            Path other = Path.of("/tmp", LibraryDirectory.prefix(Math.toIntExact(jvm.pid() + 1)) + "00112233");
            for (Path directory : List.of(own, other)) {
                Files.createDirectory(directory);
                try {
                    Set<String> leftovers = came(AuditComparison.of(before, audit(jvm)), Verdict.LEFTOVER);
                    assertThat(leftovers.contains("files: " + directory))
                            .as(directory.toString())
                            .isEqualTo(directory.equals(own));
                } finally {
                    Files.delete(directory);
                }
            }
        }
    }

    private static Set<String> came(AuditComparison comparison, Verdict verdict) {
        return comparison.of(verdict).stream()
                .filter(AuditDifference::came)
                .map(difference -> difference.kind().title() + ": " + difference.item())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void javaAgentAndItsTransformedClassesAreReported(Jdk jdk) throws Exception {
        Manifest manifest = ProfilerJars.manifest("none", "1", "");
        manifest.getMainAttributes().putValue("Agent-Class", "mayfly.profilers.testing.RetransformingAgent");
        manifest.getMainAttributes().putValue("Can-Retransform-Classes", "true");
        Path jar = ProfilerJars.jar(folder.resolve("agent.jar"), manifest);
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            warm(jvm);
            Audit before = audit(jvm);
            jcmd(jvm, "JVMTI.agent_load", jar.toString(), "mayfly.targets.ThreadAndClassChurn");
            AuditComparison left = AuditComparison.of(before, audit(jvm));
            assertThat(came(left, Verdict.LEFTOVER))
                    .contains(
                            "transformed classes: redefinitions since the JVM started",
                            "classes: sun.instrument.InstrumentationImpl in boot",
                            "JVMTI environments: environment that calls libinstrument.so",
                            "agents: "
                                    + jdk.home().resolve("lib/libinstrument.so").toRealPath()
                                    + ": Agent_OnLoad, Agent_OnAttach");
            assertThat(came(left, Verdict.CHANGED)).contains("descriptors: " + jar);
            if (jdk.feature() < 21) {
                assertThat(came(left, Verdict.LEFTOVER))
                        .contains("transformed classes: mayfly.targets.ThreadAndClassChurn in app");
            }
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void flagsPropertiesAndClassesEqualThoseOfTheJvm(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn")
                .on(jdk)
                .with(
                        "-XX:+UseSerialGC",
                        "-XX:+UnlockDiagnosticVMOptions",
                        "-XX:+UnlockExperimentalVMOptions",
                        "-Dmayfly.test=\u00e4 value",
                        "-XX:HeapDumpPath=/x y")
                .start()) {
            jvm.ask("load");
            jcmd(jvm, "VM.class_hierarchy");
            Set<String> least = hierarchy(jcmd(jvm, "VM.class_hierarchy"));
            Audit audit = audit(jvm);
            Set<String> most = hierarchy(jcmd(jvm, "VM.class_hierarchy"));
            Set<String> seen = audit.section(AuditKind.CLASSES).items().keySet().stream()
                    .map(item -> item.substring(0, item.lastIndexOf(" in ")))
                    .filter(name -> !name.startsWith("["))
                    .collect(Collectors.toCollection(TreeSet::new));
            assertThat(seen).containsAll(least).hasSizeGreaterThan(400);
            assertThat(most).containsAll(seen);
            assertThat(audit.section(AuditKind.FLAGS).items().keySet()).isEqualTo(flags(jcmd(jvm, "VM.flags", "-all")));
            assertThat(audit.section(AuditKind.SYSTEM_PROPERTIES).items().keySet())
                    .isEqualTo(properties(jcmd(jvm, "VM.system_properties")));
        }
    }

    /** Returns class names without the address of a hidden class. */
    private static Set<String> hierarchy(String tree) {
        return tree.lines()
                .filter(line -> line.contains("/"))
                .map(line -> line.replaceFirst("^[| -]*", ""))
                .map(line -> line.replaceFirst(" \\(intf\\)$", ""))
                .map(line -> line.substring(0, line.lastIndexOf('/')))
                .map(name -> name.replaceFirst("[+/]0x[0-9a-f]+$", ""))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The JVM omits locked flags, so the target has unlocked all of them. */
    private static Set<String> flags(String all) {
        Set<String> set = new TreeSet<>();
        for (String line : all.lines().toList()) {
            Matcher flag = FLAG.matcher(line);
            if (flag.matches() && !flag.group(3).equals("default")) {
                String origin = flag.group(3).startsWith("command line") ? "command line" : flag.group(3);
                set.add(flag.group(1) + " (" + origin + ") = " + flag.group(2));
            }
        }
        return set;
    }

    private static Set<String> properties(String text) throws Exception {
        Properties properties = new Properties();
        properties.load(new StringReader(text.replaceFirst("^[0-9]+:\n", "")));
        Map<String, String> sorted = new TreeMap<>();
        properties.stringPropertyNames().forEach(name -> sorted.put(name, properties.getProperty(name)));
        return sorted.entrySet().stream()
                .map(property -> property.getKey() + " = ("
                        + property.getValue().length() + " chars, CRC-32 " + crc(property.getValue()) + ")")
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static String crc(String text) {
        CRC32 sum = new CRC32();
        sum.update(text.getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().toHexDigits((int) sum.getValue());
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void stoppedJvmIsAuditedWithEveryCollector(Jdk jdk) throws Exception {
        for (String collector : Scale.DEEP
                ? List.of("-XX:+UseZGC", "-XX:+UseParallelGC", "-XX:-UseCompressedOops")
                : List.of("-XX:+UseZGC")) {
            try (Jvm jvm = Jvm.run("ThreadAndClassChurn")
                    .on(jdk)
                    .with(collector, "-Xmx128m")
                    .start()) {
                jvm.ask("load");
                Audit running = audit(jvm);
                assertThat(new ProcessBuilder("kill", "-STOP", Long.toString(jvm.pid()))
                                .start()
                                .waitFor())
                        .isZero();
                Audit stopped = audit(jvm);
                assertThat(stopped.section(AuditKind.SYSTEM_PROPERTIES))
                        .isEqualTo(running.section(AuditKind.SYSTEM_PROPERTIES));
                assertThat(stopped.section(AuditKind.CLASS_LOADERS).items())
                        .containsKey("mayfly.targets.ThreadAndClassChurn$Loader, first class"
                                + " mayfly.targets.ThreadAndClassChurn$Guest");
                assertThat(notAllowed(AuditComparison.of(running, stopped))).isEmpty();
            }
        }
    }
}
