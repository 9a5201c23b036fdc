package mayfly.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import mayfly.cli.Captured;
import mayfly.cli.Child;
import mayfly.cli.Main;
import mayfly.cli.output.ExitCode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands, run on real processes. */
class CommandsTest {
    private final Captured captured = new Captured();

    @TempDir
    Path dir;

    private int record(String... args) {
        int status = captured.run(args);
        assumeTrue(status != ExitCode.NOT_PERMITTED.code(), "not permitted here: " + captured.err());
        return status;
    }

    @Test
    @Tag("jvm")
    void psListsAJvmAndOmitsItself() throws Exception {
        try (var jvm = Child.jvm()) {
            assertThat(captured.run("ps", "--json")).isZero();
            assertThat(captured.out())
                    .contains("{\"pid\":" + jvm.pid() + ",\"runtime\":\"r1\",\"version\":\"")
                    .contains("\"mainClass\":\"mayfly.cli.WaitingProgram\"")
                    .doesNotContain("\"pid\":" + ProcessHandle.current().pid() + ",");
        }
    }

    @Test
    @Tag("jvm")
    void psShowsCpuTimeAndUptime() throws Exception {
        try (var jvm = Child.jvm()) {
            assertThat(captured.run("ps", "--json")).isZero();
            Matcher row = Pattern.compile("\"pid\":" + jvm.pid() + ",.*?\"cpuNanos\":(\\d+),\"uptimeNanos\":(\\d+),"
                            + "\"cpuPercent\":(-?\\d+)")
                    .matcher(captured.out());
            assertThat(row.find()).isTrue();
            ProcessHandle.Info info =
                    ProcessHandle.of(Long.parseLong(jvm.pid())).orElseThrow().info();
            assertThat(Long.parseLong(row.group(1)))
                    .isBetween(1L, info.totalCpuDuration().orElseThrow().toNanos());
            Duration age = Duration.between(info.startInstant().orElseThrow(), Instant.now());
            assertThat(Long.parseLong(row.group(2)))
                    .isBetween(1L, age.plusSeconds(1).toNanos());
            assertThat(Integer.parseInt(row.group(3))).isNotNegative();
        }
    }

    @Test
    @Tag("jvm")
    void idleJvmIsRecordedWithExitCode0() throws Exception {
        try (var jvm = Child.jvm()) {
            Path out = dir.resolve("x.html");
            assertThat(record("record", "-d", "100ms", "-F", "49", "-o", out.toString(), jvm.pid()))
                    .isZero();
            assertThat(captured.out()).isEqualTo(out + "\n");
            assertThat(captured.err()).contains("samples in");
            assertThat(Files.readString(out)).startsWith("<!DOCTYPE html>");
            assertThat(dir.toFile().list()).containsExactly("x.html");
        }
    }

    @Test
    @Tag("jvm")
    void recordWithJsonAndQuietWritesOnlyJson() throws Exception {
        try (var jvm = Child.jvm()) {
            assertThat(record(
                            "record",
                            "-d",
                            "100ms",
                            "-q",
                            "--json",
                            "-o",
                            dir.resolve("x.mayfly").toString(),
                            jvm.pid()))
                    .isZero();
            assertThat(captured.out())
                    .startsWith("{\"schema\":\"mayfly-record/1\"")
                    .contains("\"pid\":" + jvm.pid())
                    .endsWith("}\n")
                    .hasLineCount(1);
            assertThat(captured.err()).isEmpty();
        }
        var converted = new Captured();
        assertThat(converted.run(
                        "convert",
                        dir.resolve("x.mayfly").toString(),
                        dir.resolve("y.collapsed").toString()))
                .isZero();
        assertThat(converted.out()).isEqualTo(dir.resolve("y.collapsed") + "\n");
        assertThat(dir.toFile().list()).containsExactlyInAnyOrder("x.mayfly", "y.collapsed");
    }

    @Test
    @Tag("jvm")
    void hyphenAsOutputWritesOnlyTheResultToStdout() throws Exception {
        Path capture = dir.resolve("x.mayfly");
        try (var jvm = Child.jvm()) {
            assertThat(record("record", "-d", "100ms", "-F", "49", "-o", "-", "--format", "html", jvm.pid()))
                    .isZero();
            assertThat(captured.out()).startsWith("<!DOCTYPE html>").endsWith("</html>\n");
            assertThat(captured.err()).contains("samples in");
            assertThat(new Captured().run("record", "-d", "100ms", "-o", capture.toString(), jvm.pid()))
                    .isZero();
        }
        var converted = new Captured();
        assertThat(converted.run("convert", "--format", "text", capture.toString(), "-"))
                .as(converted.err())
                .isZero();
        var report = new Captured();
        report.run("report", capture.toString());
        assertThat(converted.out()).isEqualTo(report.out());
        assertThat(Path.of("-")).doesNotExist();
    }

    @Test
    @Tag("jvm")
    void brokenPipeEndsConvertSilentlyAndKeepsARecording() throws Exception {
        var closed = new java.io.PrintStream(new java.io.OutputStream() {
            @Override
            public void write(int b) throws java.io.IOException {
                throw new java.io.IOException("Broken pipe");
            }
        });
        try (var jvm = Child.jvm()) {
            Path capture = dir.resolve("x.mayfly");
            record("record", "-q", "-d", "100ms", "-o", capture.toString(), jvm.pid());
            var silent = new Captured();
            assertThat(Main.run(
                            new String[] {"convert", "--format", "text", capture.toString(), "-"},
                            silent.withOutput(closed, true)))
                    .isEqualTo(141);
            assertThat(silent.err()).isEmpty();
            assertThat(Main.run(
                            new String[] {"record", "-q", "-d", "100ms", "--format", "text", "-o", "-", jvm.pid()},
                            captured.withOutput(closed, true)))
                    .isEqualTo(141);
            Path kept = Path.of(lineAfter("the recording is kept: "));
            assertThat(lineAfter("to try again: ")).isEqualTo("mayfly convert --format text " + kept + " -");
            assertThat(kept).isNotEmptyFile();
            Files.delete(kept);
        }
    }

    @Test
    @Tag("jvm")
    void ambiguousNameIsExitCode3AndListsTheMatches() throws Exception {
        try (var one = Child.jvm();
                var two = Child.jvm()) {
            assertThat(captured.run("record", "WaitingProgram")).isEqualTo(3);
            assertThat(captured.err()).contains("[ambiguous]", "  " + one.pid() + "  ", "  " + two.pid() + "  ");
        }
    }

    @Test
    @Tag("privileged")
    void recordOfANonJvmIsExitCode3() throws Exception {
        // The shell must remain: a process that calls execve meanwhile is rejected for another reason.
        try (var shell = Child.start(List.of("sh", "-c", "echo READY; cat; true"))) {
            assertThat(captured.run("record", "-o", dir.resolve("x.html").toString(), shell.pid()))
                    .isEqualTo(3);
            assertThat(captured.err()).contains("[not-a-jvm]");
            assertThat(captured.out()).isEmpty();
            assertThat(dir).isEmptyDirectory();
        }
    }

    @Test
    @Tag("slow")
    void recordOfAZombieIsExitCode3() throws Exception {
        // cat never waits for the child that it inherits from the shell; the shell itself could reap a child that ends
        // earlier.
        String child = "sh -c 'until grep -q cat /proc/$PPID/comm; do :; done'";
        try (var parent = Child.start(List.of("sh", "-c", child + " & echo $!; exec cat"))) {
            Path stat = Path.of("/proc", parent.firstLine(), "stat");
            while (!Files.readString(stat).contains(") Z ")) {
                Thread.onSpinWait();
            }
            assertThat(captured.run("record", "-o", dir.resolve("x.html").toString(), parent.firstLine()))
                    .isEqualTo(3);
            assertThat(captured.err()).contains("[zombie]");
        }
    }

    @Test
    void recordOfAnUnknownPidIsExitCode3() {
        assertThat(captured.run("record", "-o", dir.resolve("x.html").toString(), "999999999"))
                .isEqualTo(3);
        assertThat(captured.err()).contains("[no-such-process]", "999999999");
        assertThat(dir).isEmptyDirectory();
    }

    @Test
    @Tag("privileged")
    void runReturnsTheExitStatusOfTheProgram() {
        assertThat(record("run", "-q", "-o", dir.resolve("x.html").toString(), "--", "sh", "-c", "exit 7"))
                .isEqualTo(7);
        assertThat(captured.out()).isEmpty();
        assertThat(dir.resolve("x.html")).exists();
    }

    @Test
    @Tag("jvm")
    void sampleRateAboveTheKernelLimitIsRefused() throws Exception {
        // A single read of a sysctl returns all of it, several reads return less: readString may do either.
        long highest = Long.parseLong(Files.readAllLines(Path.of("/proc/sys/kernel/perf_event_max_sample_rate"))
                .getFirst()
                .strip());
        assumeTrue(highest < 1_000_000, "this kernel allows any rate");
        try (var jvm = Child.jvm()) {
            assertThat(record(
                            "record",
                            "-F",
                            "1000000",
                            "--collector",
                            "per-thread",
                            "-o",
                            dir.resolve("x.html").toString(),
                            jvm.pid()))
                    .isEqualTo(2);
            assertThat(captured.err()).contains("[rate-too-high]");
            assertThat(dir).isEmptyDirectory();
        }
    }

    @Test
    @Tag("jvm")
    void doctorReportsASupportedJvm() throws Exception {
        try (var jvm = Child.jvm()) {
            int status = captured.run("doctor", jvm.pid());
            assumeTrue(status == 0, "recording is not permitted here: " + captured.out());
            assertThat(captured.out()).contains("perf system-wide", "runtime r1: HotSpot 2", ", understood");
        }
    }

    @Test
    @Tag("privileged")
    void doctorReportsAMissingRuntime() {
        // Maven's shell, which started this JVM, is not a JVM.
        String shell =
                Long.toString(ProcessHandle.current().parent().orElseThrow().pid());
        assertThat(captured.run("doctor", shell)).isEqualTo(4);
        assertThat(captured.out()).contains("missing  runtime: ");
    }

    @Test
    void doctorRefusesAProcessThatDoesNotExist() {
        assertThat(captured.run("doctor", "999999999")).isEqualTo(3);
        assertThat(captured.err()).contains("[no-such-process]");
    }

    /** The output device is full, so the page cannot be written: the recording is kept. */
    @Test
    @Tag("jvm")
    void aRecordingWhosePageCannotBeWrittenIsKeptAsACapture() throws Exception {
        try (var jvm = Child.jvm()) {
            assertThat(record("record", "-d", "100ms", "-t", "--format", "html", "-o", "/dev/full", jvm.pid()))
                    .isEqualTo(1);
            assertThat(captured.err()).contains("cannot write /dev/full: No space left on device [output]");
            Path kept = Path.of(lineAfter("the recording is kept: "));
            try {
                assertThat(lineAfter("to try again: "))
                        .isEqualTo("mayfly convert --threads --format html " + kept + " /dev/full");
                assertThat(new Captured()
                                .run(
                                        "convert",
                                        kept.toString(),
                                        dir.resolve("y.html").toString()))
                        .isZero();
                assertThat(dir.resolve("y.html")).isNotEmptyFile();
            } finally {
                Files.deleteIfExists(kept);
            }
        }
    }

    private String lineAfter(String words) {
        return captured.err()
                .lines()
                .filter(line -> line.contains(words))
                .findFirst()
                .map(line -> line.substring(line.indexOf(words) + words.length()))
                .orElseThrow();
    }
}
