package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import mayfly.kit.Command;
import mayfly.kit.Counts;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.LaunchedMayfly;
import mayfly.kit.Patience;
import mayfly.kit.Project;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code ps}, {@code record} and {@code stack} of JVMs in other namespaces, of other users, and not called java. */
class ElsewhereTest {
    private static final Duration LIMIT = Patience.of(Duration.ofSeconds(60));
    private static final long USED_NANOS = 400_000_000;
    private static final long BETWEEN_LOOKS_NANOS = 20_000_000;
    private static final String MAIN_CLASS = "mayfly.targets.Busy";

    @TempDir
    private Path folder;

    @TempDir
    private Path home;

    /** The place of a JVM. */
    enum Place {
        PID_NAMESPACE,
        ROOT,
        USER,
        OTHER_NAME,
        ALL_OF_IT
    }

    record Case(Jdk jdk, Place place) {
        @Override
        public String toString() {
            return place + " on " + jdk;
        }
    }

    static List<Case> cases() {
        List<Case> cases = new ArrayList<>();
        for (Jdk jdk : Scale.jdks()) {
            for (Place place : Place.values()) {
                // If the launcher is a script, it starts its program by the script's name.
                boolean named = place != Place.OTHER_NAME || !hasOwnLibc(jdk);
                if (Scale.DEEP && named || place == Place.ALL_OF_IT) {
                    cases.add(new Case(jdk, place));
                }
            }
        }
        return cases;
    }

    /** A program with another libc cannot load the library of a JDK that has its own libc. */
    static List<Jdk> jdks() {
        return Scale.jdks().stream()
                .filter(jdk -> Scale.DEEP ? !hasOwnLibc(jdk) : jdk.equals(Jdk.current()))
                .toList();
    }

    /** A JDK unpacked on a machine whose libc is too old for it has its own libc; its bin/java is a script. */
    private static boolean hasOwnLibc(Jdk jdk) {
        return !jdk.dynamicLinker().isEmpty();
    }

    @BeforeEach
    void othersMayEnter() throws IOException {
        if (Privileges.isRoot()) {
            Privileges.giveToNobody(folder);
            Privileges.giveToNobody(home);
        }
    }

    @AfterEach
    void removeLinks() throws IOException {
        Checks.removeLinks(home);
    }

    @ParameterizedTest
    @MethodSource("cases")
    void jvmInAnotherNamespaceOrOfAnotherUserIsSeen(Case where) throws Exception {
        Jvm.Plan plan = Jvm.run("Busy").on(where.jdk);
        try (Jvm jvm = inPlace(plan, where).start()) {
            long pid = inNewPids(where.place) ? Namespaces.child(jvm) : jvm.pid();
            assertSeen(jvm, pid, MAIN_CLASS, List.of());
            if (where.place == Place.USER) {
                assertSeen(jvm, pid, MAIN_CLASS, Privileges.asNobody());
            }
        }
    }

    private static boolean inNewPids(Place place) {
        return place == Place.PID_NAMESPACE || place == Place.ALL_OF_IT;
    }

    private Jvm.Plan inPlace(Jvm.Plan plan, Case where) throws IOException {
        return switch (where.place) {
            case PID_NAMESPACE -> Namespaces.newPids(plan);
            case ROOT -> Namespaces.newRoot(plan, where.jdk, home, "0:0");
            case USER -> plan.under(Privileges.asNobody().toArray(String[]::new));
            case OTHER_NAME ->
                plan.under(
                        "sh",
                        "-c",
                        "shift; exec \"$0\" \"$@\"",
                        renamed(where.jdk).toString());
            case ALL_OF_IT -> Namespaces.newRootAndPids(plan, where.jdk, home, "65534:65534");
        };
    }

    private Path renamed(Jdk jdk) throws IOException {
        Path bin = Files.createDirectory(home.resolve("bin"));
        for (Path each : Checks.files(jdk.home())) {
            if (!each.endsWith("bin")) {
                Files.createSymbolicLink(home.resolve(each.getFileName()), each);
            }
        }
        return Files.copy(jdk.tool("java"), bin.resolve("worker"));
    }

    /** A program that is no Java launcher and loads a JVM at any time. */
    @ParameterizedTest
    @MethodSource("jdks")
    void jvmLoadedLateIntoANativeProgramIsSeen(Jdk jdk) throws Exception {
        Path launcher = CSource.program("launcher");
        try (Jvm jvm = Jvm.run("Busy")
                .on(jdk)
                .under(launcher.toString(), jdk.libjvm().toString())
                .start()) {
            String pid = Long.toString(jvm.pid());
            assertThat(jvm.ready()).isEqualTo("READY without libjvm");
            assertThat(mayfly(List.of(), "ps").stdout()).doesNotContain(pid + " ");
            for (String command : List.of("record", "stack")) {
                Command done = mayfly(List.of(), command, pid);
                Checks.refused(done, 3, "not-a-jvm", folder);
                assertThat(done.stderr()).contains("no libjvm.so is mapped into it", "mayfly run");
            }
            jvm.send("load");
            jvm.awaitReady(LIMIT);
            assertThat(jvm.ready()).isEqualTo("READY with libjvm");
            for (String command : List.of("record", "stack")) {
                Checks.refused(mayfly(List.of(), command, pid), 1, "jvm-starting", folder);
            }
            jvm.send("create");
            jvm.awaitReady(LIMIT);
            assertSeen(jvm, jvm.pid(), "launcher", List.of());
            assertThat(jvm.ask("well?")).isNotEmpty();
        }
    }

    /** The recording starts at the first instruction, long before the JVM exists. */
    @Test
    void jvmLoadedDuringARecordingIsRecorded() throws Exception {
        Path file = folder.resolve("out.collapsed");
        try (Jvm jvm = Jvm.run("Busy")
                .environment("MAYFLY_NO_BUILD", "1")
                .under(
                        Project.launcher().toString(),
                        "run",
                        "-F",
                        "499",
                        "-o",
                        file.toString(),
                        "--",
                        CSource.program("launcher").toString(),
                        Jdk.current().libjvm().toString())
                .start()) {
            jvm.send("load");
            jvm.awaitReady(LIMIT);
            jvm.send("create");
            jvm.awaitReady(LIMIT);
            assertThat(jvm.ready()).startsWith("READY busy");
            awaitUsed(jvm);
            assertThat(jvm.exit()).as(jvm.evidence()).isZero();
        }
        Counts counts = Counts.parse(Files.readString(file));
        assertThat(counts.with(MAIN_CLASS + ".loop")).as(counts.top(5)).isGreaterThan(counts.total() / 4);
    }

    private Command mayfly(List<String> prefix, String... arguments) {
        return LaunchedMayfly.runUnder(prefix, LIMIT, folder, arguments);
    }

    private void assertSeen(Jvm jvm, long pid, String mainClass, List<String> prefix) throws Exception {
        Command ps = mayfly(prefix, "ps", "--json");
        assertThat(ps.stdout())
                .as(ps.evidence())
                .containsPattern("\\{\"pid\":" + pid
                        + ",\"runtime\":\"r1\",\"version\":\"" + jvm.jdk().version()
                        + "[^\"]*\",\"address\":\"0x[0-9a-f]+\",\"mainClass\":\"" + mainClass + "\"");
        assertRecorded(jvm, pid, prefix);
        Command stack = mayfly(prefix, "stack", Long.toString(pid));
        assertThat(stack.exitCode()).as(stack.evidence()).isZero();
        assertThat(stack.stdout())
                .as(stack.evidence())
                .contains(
                        "process " + pid + ", " + mainClass,
                        "\"Signal Dispatcher\" #",
                        "\"busy-0\" #",
                        "\tat " + MAIN_CLASS + ".loop(")
                .doesNotContain("[broken:", "not read");
        Command audit = mayfly(prefix, "audit", Long.toString(pid));
        assertThat(audit.exitCode()).as(audit.evidence()).isZero();
        assertThat(audit.stdout())
                .as(audit.evidence())
                .contains("    \"busy-0\"\n", "nothing belongs to Mayfly")
                .doesNotContain("cannot be seen", "; not seen:");
    }

    private void assertRecorded(Jvm jvm, long pid, List<String> prefix) throws Exception {
        Path file = folder.resolve("out.collapsed");
        try (LaunchedMayfly mayfly = LaunchedMayfly.startUnder(
                prefix, "record", "--json", "-t", "-d", "1m", "-F", "999", "-o", file.toString(), Long.toString(pid))) {
            mayfly.awaitStderr("sampling process", LIMIT);
            awaitUsed(jvm);
            assertThat(mayfly.terminate()).as(mayfly.stderr()).isZero();
            Counts counts = Counts.parse(Files.readString(file));
            assertThat(counts.of(
                            frames -> frames.getFirst().startsWith("busy-0") && frames.contains(MAIN_CLASS + ".loop")))
                    .as(mayfly.stderr() + counts.top(5))
                    .isPositive();
            Counts.assertAtLeast(
                    counts.top(5),
                    Checks.number(mayfly.stdout(), "complete"),
                    Checks.number(mayfly.stdout(), "samples"),
                    0.99);
        }
        Files.delete(file);
    }

    /** Waits until the target has used CPU time for some hundred samples, however long that takes. */
    private static void awaitUsed(Jvm jvm) {
        long begun = Long.parseLong(jvm.ask("cpu?"));
        while (Long.parseLong(jvm.ask("cpu?")) - begun < USED_NANOS) {
            LockSupport.parkNanos(BETWEEN_LOOKS_NANOS);
        }
    }
}
