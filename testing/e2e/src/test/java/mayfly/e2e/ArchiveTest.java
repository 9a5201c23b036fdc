package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import mayfly.kit.Command;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The archive, unpacked in a folder with a blank in its name and run without a JDK, a home and Maven. */
class ArchiveTest {
    private static final long MAX_BYTES = 45L << 20;
    private static final Duration LIMIT = Duration.ofMinutes(3);

    @TempDir
    static Path folder;

    private static Path archive = Path.of("");
    private static Path home = Path.of("");

    @BeforeAll
    static void makeTheArchive() throws IOException {
        Archive made = Archive.ofThisRun();
        archive = made.file();
        home = made.home();
    }

    /** Runs the archive's launcher in an environment that has nothing but the path of the shell's tools. */
    private static Command mayfly(String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                "env", "-i", "PATH=/usr/bin:/bin", home.resolve("mayfly").toString()));
        command.addAll(List.of(arguments));
        return Command.run(LIMIT, command, folder, Map.of());
    }

    @Test
    void archiveIsSmallerThan45Mebibytes() throws IOException {
        assertThat(Files.size(archive)).isLessThan(MAX_BYTES);
    }

    @Test
    void unpackedArchiveHasLicensesManualAndCompletions() throws IOException {
        assertThat(home).isDirectoryContaining("glob:**/LICENSE").isDirectoryContaining("glob:**/runtime");
        assertThat(home.resolve("app/mayfly.aot")).isNotEmptyFile();
        assertThat(home.resolve("licenses/README.txt"))
                .content()
                .contains("picocli", "XZ for Java", "ASM", "runtime/legal", "runtime/glibc");
        assertThat(home.resolve("licenses/glibc.txt"))
                .content()
                .contains("GNU LESSER GENERAL PUBLIC LICENSE", "Source: ");
        assertThat(home.resolve("runtime/legal/java.base/LICENSE")).isNotEmptyFile();
        assertThat(home.resolve("man/man1/mayfly-record.1")).content().contains(".SH OPTIONS", "\\-\\-duration");
        for (String shell : List.of("bash", "zsh", "fish")) {
            assertThat(home.resolve("completion/mayfly." + shell)).content().contains("record");
        }
    }

    @Test
    void demoOfAnUnpackedArchiveWritesAFlameGraph() {
        Path page = folder.resolve("demo.html");
        Command demo = mayfly("demo", "-d", "1s", "-o", page.toString());
        assertThat(demo.exitCode()).as(demo::evidence).isZero();
        assertThat(page).content().contains("</html>");
    }

    @Test
    void jvmIsListedDumpedAndRecordedByAnUnpackedArchive() throws Exception {
        try (Jvm jvm = Jvm.run("Ticker").on(Jdk.current()).start()) {
            String pid = Long.toString(jvm.pid());
            assertThat(mayfly("ps").stdout()).contains(pid);
            assertThat(mayfly("stack", pid).stdout()).contains("\"main\"", "Ticker");
            Path file = folder.resolve("ticker.collapsed");
            Command record = mayfly("record", "-d", "1s", "-o", file.toString(), pid);
            assertThat(record.exitCode()).as(record::evidence).isZero();
            assertThat(file).content().contains("Ticker");
        }
    }

    /** The Java runtime of an archive lacks modules of a JDK. */
    @Test
    void unpackedArchiveAttachesAProfiler() throws Exception {
        try (Jvm jvm = Jvm.run("Ticker").on(Jdk.current()).start()) {
            String pid = Long.toString(jvm.pid());
            Path jar = ProfilerJars.scripted(folder, "");
            Command attach = mayfly("attach", pid, "--profiler", jar.toString());
            assertThat(attach.exitCode()).as(attach::evidence).isZero();
            Command detach = mayfly("detach", pid);
            assertThat(detach.exitCode()).as(detach::evidence).isZero();
        }
    }

    /** The start-up cache differs in each run of the JVM, so the second archive has none. */
    @Test
    @Tag("deep")
    void twoArchivesOfTheSameJarsAreEqualExceptForTheCache() throws IOException {
        Path second = Archive.make(folder.resolve("second"), Map.of("MAYFLY_NO_AOT", "1"));
        assertThat(listing(second))
                .isEqualTo(listing(archive).stream()
                        .filter(line -> !line.endsWith("/app/mayfly.aot"))
                        .toList())
                .hasSizeGreaterThan(100);
        Path unpacked = Files.createDirectory(folder.resolve("unpacked"));
        assertThat(Command.run(LIMIT, "tar", "-xzf", second.toString(), "-C", unpacked.toString())
                        .exitCode())
                .isZero();
        Command differences = Command.run(
                LIMIT,
                "diff",
                "-r",
                "--no-dereference",
                home.toString(),
                unpacked.resolve(home.getFileName()).toString());
        assertThat(differences.stdout().lines())
                .as(differences.evidence())
                .containsExactly("Only in " + home.resolve("app") + ": mayfly.aot");
    }

    /** Returns modes, owners, sizes, times and names of the entries of an archive, in their order. */
    private static List<String> listing(Path archive) {
        Command listed = Command.run(LIMIT, "tar", "--numeric-owner", "--full-time", "-tvzf", archive.toString());
        assertThat(listed.exitCode()).as(listed::evidence).isZero();
        return listed.stdout().lines().toList();
    }
}
