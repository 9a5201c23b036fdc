package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import mayfly.kit.Command;
import mayfly.kit.Deadline;
import mayfly.kit.Jvm;
import mayfly.kit.LaunchedMayfly;
import mayfly.kit.Project;
import mayfly.profile.capture.CaptureReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** If the rendering of a profile is interrupted from outside, the recording remains, and the message names it. */
class KeptRecordingTest {
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final int FAILED = 1;

    @TempDir
    private Path folder;

    /** A pipe without a reader delays the page for as long as the test needs. */
    @Test
    void secondInterruptAbandonsThePageAndKeepsTheRecording() throws Exception {
        Path pipe = folder.resolve("out.html");
        assertThat(Command.run(LIMIT, "mkfifo", pipe.toString()).exitCode()).isZero();
        try (Jvm jvm = Jvm.run("Busy").args("2").start();
                LaunchedMayfly mayfly =
                        LaunchedMayfly.start("record", "-d", "1s", "-o", pipe.toString(), Long.toString(jvm.pid()))) {
            long pid = mayfly.process().pid();
            awaitOpening(pid);
            Command.run(LIMIT, "kill", "-INT", Long.toString(pid));
            mayfly.awaitStderr("a second Ctrl-C", LIMIT);
            Command.run(LIMIT, "kill", "-INT", Long.toString(pid));
            assertThat(mayfly.process().waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .as(mayfly.stderr())
                    .isTrue();
            assertThat(mayfly.process().exitValue()).isEqualTo(FAILED);
            assertThat(mayfly.stderr()).contains("[given-up]", "to try again: mayfly convert ");
            Path kept = kept(mayfly.stderr());
            assertThat(CaptureReader.read(kept).sampleCount()).isPositive();
            Files.delete(kept);
        }
    }

    /** Waits until a thread of the process waits for the reader of a pipe, see fifo(7). */
    private static void awaitOpening(long pid) throws IOException {
        Deadline deadline = Deadline.in(LIMIT);
        for (; ; ) {
            for (Path task : Checks.files(Path.of("/proc", Long.toString(pid), "task"))) {
                try {
                    if (Files.readString(task.resolve("wchan")).equals("wait_for_partner")) {
                        return;
                    }
                } catch (IOException e) {
                    continue; // it has ended
                }
            }
            deadline.check("the pipe was not opened");
        }
    }

    private static Path kept(String stderr) {
        return Path.of(stderr.replaceFirst("(?s).*the recording is kept: (\\S+).*", "$1"));
    }

    @Test
    void killedRenderingJvmLeavesOnlyTheCapture() throws Exception {
        Path capture = LargeCapture.writeDistinct(folder.resolve("large.mayfly"));
        byte[] before = Files.readAllBytes(capture);
        try (LaunchedMayfly mayfly = LaunchedMayfly.start(
                "convert", capture.toString(), folder.resolve("out.html").toString())) {
            rendering(mayfly.process()).destroyForcibly();
            assertThat(mayfly.process().waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .as(mayfly.stderr())
                    .isTrue();
            assertThat(mayfly.process().exitValue()).as(mayfly.stderr()).isEqualTo(FAILED);
            assertThat(mayfly.stderr()).contains("[rendering-failed]", "signal 9");
        }
        assertThat(Checks.files(folder)).containsExactly(capture);
        assertThat(capture).hasBinaryContent(before);
    }

    /** Returns the JVM that renders the format, once it runs. */
    private static ProcessHandle rendering(Process mayfly) {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (System.nanoTime() - deadline < 0 && mayfly.isAlive()) {
            // The launcher has child processes, too, before it executes a JVM; and the JVM has a child that executes
            // another program.
            Optional<ProcessHandle> child = mayfly.descendants()
                    .filter(each -> each.info().commandLine().orElse("").contains("RenderingMain"))
                    .findFirst();
            if (child.isPresent()) {
                return child.get();
            }
        }
        throw new AssertionError("nothing is rendered in a JVM of its own");
    }

    /** RLIMIT_FSIZE, see setrlimit(2). */
    @Test
    void fileSizeLimitIsAnOutputErrorAndKeepsTheCapture() throws Exception {
        Path capture = LargeCapture.write(folder.resolve("large.mayfly"));
        byte[] before = Files.readAllBytes(capture);
        List<String> line = new ArrayList<>(List.of(
                "sh",
                "-c",
                "ulimit -f 2000; exec \"$@\"",
                "sh",
                "env",
                "MAYFLY_NO_BUILD=1",
                Project.launcher().toString(),
                "convert",
                capture.toString(),
                folder.resolve("out.collapsed").toString()));
        Command done = Command.run(LIMIT, line.toArray(String[]::new));
        assertThat(done.exitCode()).as(done.evidence()).isEqualTo(FAILED);
        assertThat(done.stderr()).as(done.evidence()).contains("[output]", "File too large");
        assertThat(Checks.files(folder)).containsExactly(capture);
        assertThat(capture).hasBinaryContent(before);
    }
}
