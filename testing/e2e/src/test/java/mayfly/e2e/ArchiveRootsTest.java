package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import mayfly.kit.Command;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.Patience;
import mayfly.kit.Project;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The archive in root directories of other systems: without a glibc, with another one, without a shell, read-only. */
class ArchiveRootsTest {
    /** The loader of musl, which is its C library; the package musl of Debian has it, too. */
    private static final Path MUSL = Path.of("/lib/ld-musl-x86_64.so.1");

    private static final int WITHOUT_NAME = 48_765;
    /** On a busy machine, a target gets a small share of the CPUs, and needs more time to be sampled. */
    private static final String DURATION = Patience.of(Duration.ofSeconds(1)).toMillis() + "ms";

    private static final Duration INSTALLATION = Duration.ofMinutes(10);

    /** The files in a root directory besides the archive. */
    enum Contents {
        NOTHING,
        MUSL,
        BULLSEYE,
        BOOKWORM,
        TRIXIE;

        /** Returns true if the contents are those of a release of Debian, 11 to 13, which has to be downloaded. */
        boolean isDebian() {
            return compareTo(BULLSEYE) >= 0;
        }
    }

    private static Archive archive = new Archive(Path.of(""), Path.of(""));

    @TempDir
    private Path folder;

    private ArchiveRoot root = new ArchiveRoot(Path.of(""), null, "", false, false);

    static List<Contents> contents() {
        return Arrays.stream(Contents.values())
                .filter(each -> Scale.DEEP || !each.isDebian())
                .toList();
    }

    @BeforeAll
    static void makeTheArchive() throws IOException {
        ArchiveRoot.assumePermitted();
        archive = Archive.ofThisRun();
    }

    @BeforeEach
    void makeAnEmptyRoot() throws IOException {
        root = ArchiveRoot.in(Files.createDirectory(folder.resolve("root")), archive);
    }

    private ArchiveRoot with(Contents contents) throws IOException {
        if (contents.isDebian()) {
            return ArchiveRoot.in(debian(contents.name().toLowerCase(Locale.ROOT)), archive);
        }
        if (contents == Contents.MUSL) {
            assumeMusl();
            Files.copy(MUSL, Files.createDirectory(root.folder().resolve("lib")).resolve(MUSL.getFileName()));
        }
        return root;
    }

    private static void assumeMusl() {
        assumeTrue(Files.exists(MUSL), "no " + MUSL + ": install the package musl");
    }

    /** Returns the root directory of a release, which is installed once and kept until the next mvn clean. */
    private static Path debian(String release) throws IOException {
        Path kept = Project.root().resolve("testing/e2e/target/roots").resolve(release);
        if (!Files.isDirectory(kept)) {
            assumeTrue(
                    Stream.of("/usr/sbin", "/usr/bin").anyMatch(bin -> Files.isExecutable(Path.of(bin, "debootstrap"))),
                    "no debootstrap");
            Path part = kept.resolveSibling(release + ".part");
            Files.createDirectories(part.getParent());
            Command.run(INSTALLATION, "rm", "-rf", part.toString());
            Command done = Command.run(
                    INSTALLATION,
                    "env",
                    "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
                    "debootstrap",
                    "--variant=minbase",
                    release,
                    part.toString());
            assumeTrue(done.exitCode() == 0, "debootstrap cannot install " + release + " here: " + done.stdout());
            Files.move(part, kept);
        }
        return kept;
    }

    private static void assertDone(Command done) {
        assertThat(done.exitCode()).as(done::evidence).isZero();
        Checks.noStackTrace(done);
    }

    private static void assertRefused(Command done, int status, String... words) {
        assertThat(done.exitCode()).as(done::evidence).isEqualTo(status);
        assertThat(done.stderr()).as(done.evidence()).contains(words).hasLineCount(1);
        assertThat(done.stdout()).as(done.evidence()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("contents")
    void jvmIsListedDumpedAndRecorded(Contents contents) throws Exception {
        ArchiveRoot system = with(contents);
        try (Jvm jvm = Jvm.run("Ticker").on(Jdk.current()).start()) {
            String pid = Long.toString(jvm.pid());
            Command list = system.mayfly("ps");
            assertDone(list);
            assertThat(list.stdout()).contains(pid);
            Command dump = system.mayfly("stack", pid);
            assertDone(dump);
            assertThat(dump.stdout()).contains("\"main\"", "Ticker", "libc.so.6!");
            assertDone(system.mayfly("record", "-d", DURATION, "-o", "/out/ticker.collapsed", pid));
            assertThat(system.out().resolve("ticker.collapsed")).content().contains("Ticker");
        } finally {
            Files.deleteIfExists(system.out().resolve("ticker.collapsed"));
        }
    }

    @Test
    void demoRunsAJvmInAnEmptyRoot() throws Exception {
        Command demo = root.mayfly("demo", "-d", "1s", "-o", "/out/demo.html");
        assertDone(demo);
        assertThat(root.out().resolve("demo.html")).content().contains("</html>");
    }

    /** Records the archive's own JVM, as it prints its version. */
    private Command run(String output) {
        List<String> line = new ArrayList<>(List.of("run", "-F", "999", "-o", output, "--"));
        line.addAll(Archive.java(ArchiveRoot.HOME));
        line.add("-version");
        Command run = root.mayfly(line.toArray(String[]::new));
        assertDone(run);
        return run;
    }

    @Test
    void programIsRecordedFromItsStartWithoutAShell() throws Exception {
        Command run = run("/out/run.collapsed");
        assertThat(run.stderr()).contains("OpenJDK");
        assertThat(root.out().resolve("run.collapsed")).content().contains("Threads::create_vm", "java.lang.");
    }

    @Test
    void outputsAreWrittenWithoutADevNull() throws Exception {
        LargeCapture.writeDistinct(root.out().resolve("large.mayfly"));
        assertDone(root.mayfly("convert", "/out/large.mayfly", "/out/large.html"));
        assertThat(root.out().resolve("large.html")).isNotEmptyFile();
        run("/out/small.mayfly");
        Command printed = root.mayfly("convert", "--format", "collapsed", "/out/small.mayfly", "-");
        assertDone(printed);
        assertThat(printed.stdout()).contains("Threads::create_vm", "java.lang.");
    }

    @Test
    void userWithoutANameUsesAReadOnlyRoot() throws Exception {
        ArchiveRoot closed = root.as(WITHOUT_NAME).withReadOnlyFiles();
        try (Jvm jvm = Jvm.run("Ticker")
                .on(Jdk.current())
                .under(Privileges.as(WITHOUT_NAME))
                .start()) {
            String pid = Long.toString(jvm.pid());
            assertThat(closed.mayfly("ps").stdout()).contains(pid, Integer.toString(WITHOUT_NAME));
            assertDone(closed.mayfly("stack", pid));
            assertDone(closed.mayfly("record", "-d", DURATION, "-o", "/out/ticker.collapsed", pid));
            assertThat(closed.out().resolve("ticker.collapsed")).content().contains("Ticker");
        }
        assertDone(closed.mayfly("demo", "-d", "1s", "-o", "/out/demo.html"));
        assertRefused(closed.mayfly("demo", "-d", "1s"), 1, "Read-only file system", "[output]");
    }

    @Test
    void attachWithoutAShellNamesTheShell() throws Exception {
        try (Jvm jvm = Jvm.run("Ticker").on(Jdk.current()).start()) {
            ProfilerJars.scripted(root.out(), "");
            Command attach = root.mayfly("attach", Long.toString(jvm.pid()), "--profiler", "/out/scripted.jar");
            assertThat(attach.exitCode()).as(attach::evidence).isEqualTo(22);
            assertThat(attach.stderr()).contains("there is no /bin/sh here", "[attach-refused]");
            Checks.noStackTrace(attach);
            assertThat(HostTrace.of(jvm)).isEmpty();
        }
    }

    @Test
    void missingProcIsNamed() {
        assertRefused(root.withoutProc().mayfly("ps"), 1, "mount -t proc proc /proc", "[no-proc]");
    }

    @Test
    void archiveInTheRootDirectoryStartsPrograms() throws Exception {
        ArchiveRoot itself = ArchiveRoot.of(folder.resolve("itself"), archive);
        assertDone(itself.mayfly("demo", "-d", "1s", "-o", "/out/demo.html"));
        assertThat(itself.out().resolve("demo.html")).content().contains("</html>");
    }

    @Test
    void jvmWithMuslIsRefusedNamingItsCLibrary() throws Exception {
        assumeMusl();
        Path program = CSource.build(
                "musl_jvm", "-nostdlib", "-fno-stack-protector", MUSL.toString(), "-Wl,--dynamic-linker=" + MUSL);
        Process process =
                new ProcessBuilder(program.toString(), Jdk.current().libjvm().toString()).start();
        try (BufferedReader out = process.inputReader()) {
            assertThat(out.readLine()).isEqualTo("READY");
            String pid = Long.toString(process.pid());
            for (String command : List.of("stack", "record")) {
                Command refused = root.mayfly(command, pid);
                assertThat(refused.exitCode()).as(refused::evidence).isEqualTo(5);
                assertThat(refused.stderr()).contains("its C library is musl", "[unsupported-vm]");
                Checks.noStackTrace(refused);
            }
        } finally {
            process.destroyForcibly().waitFor(Patience.of(Duration.ofSeconds(30)));
        }
    }
}
