package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import mayfly.kit.Command;
import mayfly.kit.Counts;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.LaunchedMayfly;
import mayfly.kit.Patience;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A libjvm without symbols, or one that was deleted or replaced after the start of the JVM. */
class HostileVmTest {
    private static final Duration LIMIT = Patience.of(Duration.ofSeconds(60));
    /** Of a recording, on an idle machine: some 700 samples. */
    private static final Duration DURATION = Duration.ofMillis(700);

    private static final int UNSUPPORTED = 5;
    private static final String LEAF = "mayfly.targets.Work.spin";

    @TempDir
    private Path folder;

    @TempDir
    private Path home;

    @BeforeEach
    void othersMayEnter() throws IOException {
        if (Privileges.isRoot()) {
            Privileges.giveToNobody(folder);
            Privileges.giveToNobody(home);
        }
    }

    @AfterEach
    void removeTheCopy() throws IOException {
        Checks.removeLinks(home);
    }

    static List<Jdk> jdks(TestInfo test) {
        return Scale.jdks(test);
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void strippedLibjvmIsRecorded(Jdk jdk) throws Exception {
        Jdk copy = copyOf(jdk);
        Command stripped =
                Command.run(LIMIT, "strip", "--strip-all", copy.libjvm().toString());
        assumeTrue(stripped.exitCode() == 0, "strip does not work here: " + stripped.stderr());
        try (Jvm jvm = Jvm.run("Busy").on(copy).start()) {
            assertRecorded(jvm, List.of());
            Command refused = record("safepoint", jvm);
            assertThat(refused.exitCode()).as(refused.evidence()).isEqualTo(UNSUPPORTED);
            assertThat(refused.stderr()).contains("record of its safepoints is not found");
            Command collections = record("gc", jvm);
            assertThat(collections.exitCode()).as(collections.evidence()).isZero();
        }
    }

    private Command record(String event, Jvm jvm) {
        String file = folder.resolve(event + ".html").toString();
        return CommandLine.run("record", "-e", event, "-d", "300ms", "-o", file, Long.toString(jvm.pid()));
    }

    /**
     * The libjvm is stripped, as in Linux distributions: the names of its functions come from the file that its debug
     * link names.
     */
    @ParameterizedTest
    @MethodSource("jdks")
    void libjvmWithASeparateDebugFileIsRecorded(Jdk jdk) throws Exception {
        Jdk copy = copyOf(jdk);
        String libjvm = copy.libjvm().toString();
        for (List<String> options : List.of(
                List.of("--only-keep-debug", libjvm, libjvm + ".debug"),
                List.of("--strip-all", "--remove-section=.gnu_debuglink", libjvm),
                List.of("--add-gnu-debuglink=" + libjvm + ".debug", libjvm))) {
            String[] objcopy =
                    Stream.concat(Stream.of("objcopy"), options.stream()).toArray(String[]::new);
            Command done = Command.run(LIMIT, objcopy);
            assumeTrue(done.exitCode() == 0, "objcopy does not work here: " + done.stderr());
        }
        try (Jvm jvm = Jvm.run("Busy").on(copy).start()) {
            Counts counts = assertRecorded(jvm, List.of());
            assertThat(counts.with("JavaCalls::call_helper")).as(counts.top(5)).isPositive();
            Command safepoints = record("safepoint", jvm);
            assertThat(safepoints.exitCode()).as(safepoints.evidence()).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void deletedLibjvmIsRecorded(Jdk jdk) throws Exception {
        List<String> asNobody = Privileges.asNobody();
        Jdk copy = copyOf(jdk);
        try (Jvm jvm =
                Jvm.run("Busy").on(copy).under(asNobody.toArray(String[]::new)).start()) {
            Files.delete(copy.libjvm());
            assertRecorded(jvm, List.of());
            assertRecorded(jvm, asNobody);
        }
    }

    /** Another JDK's libjvm is at the path of the running one: its tables would be entirely wrong. */
    @Test
    void replacedLibjvmIsNotReadAsTheRunningOne() throws Exception {
        List<String> asNobody = Privileges.asNobody();
        List<Jdk> jdks = Scale.jdks();
        Jdk copy = copyOf(jdks.getLast());
        try (Jvm jvm =
                Jvm.run("Busy").on(copy).under(asNobody.toArray(String[]::new)).start()) {
            Path other = Files.copy(jdks.getFirst().libjvm(), home.resolve("other.so"));
            Files.move(other, copy.libjvm(), StandardCopyOption.REPLACE_EXISTING);
            assertRecorded(jvm, List.of());
            assertRecorded(jvm, asNobody);
        }
    }

    /**
     * Opening the pipe would block permanently. Following the link from outside would lead out of the target's root
     * directory.
     */
    @Test
    void libjvmReplacedByALinkToAPipeIsNotFollowed() throws Exception {
        List<String> asNobody = Privileges.asNobody();
        Jdk copy = copyOf(Scale.jdks().getLast());
        try (Jvm jvm =
                Jvm.run("Busy").on(copy).under(asNobody.toArray(String[]::new)).start()) {
            Path pipe = home.resolve("pipe");
            assertThat(Command.run(LIMIT, "mkfifo", "-m", "666", pipe.toString())
                            .exitCode())
                    .isZero();
            Files.delete(copy.libjvm());
            Files.createSymbolicLink(copy.libjvm(), pipe);
            assertRecorded(jvm, List.of());
            assertRecorded(jvm, asNobody);
        }
    }

    /**
     * Root always succeeds. For an ordinary user the command may report that the file is not available; otherwise the
     * recording is correct.
     */
    private Counts assertRecorded(Jvm jvm, List<String> prefix) throws Exception {
        Path file = folder.resolve("out.collapsed");
        Command done = LaunchedMayfly.runUnder(
                prefix,
                LIMIT,
                folder,
                "record",
                "--json",
                "-d",
                Patience.of(DURATION).toMillis() + "ms",
                "-F",
                "999",
                "-o",
                file.toString(),
                Long.toString(jvm.pid()));
        if (done.exitCode() == UNSUPPORTED && !prefix.isEmpty()) {
            Checks.refused(done, UNSUPPORTED, "unsupported-vm", folder);
            return Counts.parse("");
        }
        Counts counts = Counts.parse(Checks.recorded(done, file));
        Files.delete(file);
        assertThat(counts.with(LEAF)).as(done.evidence() + counts.top(5)).isPositive();
        Counts.assertAtLeast(
                counts.top(5), Checks.number(done.stdout(), "complete"), Checks.number(done.stdout(), "samples"), 0.99);
        return counts;
    }

    /** Returns a JDK whose libjvm is a separate copy; all other files are links. */
    private Jdk copyOf(Jdk jdk) throws IOException {
        Path copy = home.resolve("jdk");
        Files.createDirectories(copy.resolve("bin"));
        Files.createDirectories(copy.resolve("lib/server"));
        Files.copy(jdk.tool("java"), copy.resolve("bin/java"));
        copyLauncher(jdk.home(), copy);
        for (Path each : Checks.files(jdk.home())) {
            link(each, copy);
        }
        for (Path each : Checks.files(jdk.home().resolve("lib"))) {
            link(each, copy.resolve("lib"));
        }
        for (Path each : Checks.files(jdk.home().resolve("lib/server"))) {
            if (!each.endsWith("libjvm.so")) {
                link(each, copy.resolve("lib/server"));
            }
        }
        Files.copy(jdk.libjvm(), copy.resolve("lib/server/libjvm.so"));
        return new Jdk(copy, jdk.feature(), jdk.version());
    }

    /**
     * A JDK that needs a newer libc than that of the machine has a dynamic linker of its own. Its launcher looks for
     * the libjvm beside the real path of libjli.so.
     */
    private static void copyLauncher(Path home, Path copy) throws IOException {
        if (!Files.isDirectory(home.resolve("libc"))) {
            return;
        }
        for (String name : List.of("libc", "programs")) {
            Files.createDirectory(copy.resolve(name));
            for (Path each : Checks.files(home.resolve(name))) {
                Files.copy(each, copy.resolve(name).resolve(each.getFileName()));
            }
        }
        for (String name : List.of("lib/libjli.so", "lib/jli/libjli.so")) {
            if (Files.exists(home.resolve(name))) {
                Files.createDirectories(copy.resolve(name).getParent());
                Files.copy(home.resolve(name), copy.resolve(name));
            }
        }
    }

    private static void link(Path original, Path into) throws IOException {
        Path link = into.resolve(original.getFileName());
        if (!Files.exists(link, LinkOption.NOFOLLOW_LINKS)) {
            Files.createSymbolicLink(link, original);
        }
    }
}
