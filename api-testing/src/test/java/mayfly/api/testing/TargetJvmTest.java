package mayfly.api.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import mayfly.client.Mayfly;
import mayfly.client.MayflyException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Programs that are shell scripts. */
@Tag("slow")
@Timeout(60)
class TargetJvmTest {
    private static final Duration SHORT = Duration.ofSeconds(2);

    @TempDir
    private Path folder;

    private Scripts scripts;
    private Mayfly mayfly;

    @BeforeEach
    void install() throws Exception {
        scripts = new Scripts(folder);
        mayfly = scripts.mayfly();
    }

    @Test
    void programGetsItsOptionsArgumentsAndLines() throws Exception {
        TargetProgram program = scripts.program("echo \"started $*\"; while read -r line; do echo \"got $line\"; done")
                .classPath(Path.of("lib/a.jar"), Path.of("b"))
                .options("-Xmx8m", "-ea")
                .arguments("x y", "z");
        try (TargetJvm jvm = program.start(mayfly)) {
            assertThat(jvm.awaitOutput("started")).isEqualTo("started -Xmx8m -ea -cp main.jar:lib/a.jar:b Main x y z");
            jvm.writeLine("ä");
            assertThat(jvm.awaitOutput("got")).isEqualTo("got ä");
            assertThat(jvm.output().lines()).hasSize(2);
        }
    }

    @Test
    void classPathOfAClassIsItsFolder() throws Exception {
        try (TargetJvm jvm = TargetProgram.of(Program.class).start(mayfly)) {
            assertThat(jvm.awaitOutput("Java ")).isEqualTo("Java " + Runtime.version());
        }
        assertThatThrownBy(() -> TargetProgram.of(String.class)).isInstanceOf(IllegalArgumentException.class);
    }

    /** A program of the test sources. */
    static final class Program {
        public static void main(String[] args) {
            System.out.println("Java " + Runtime.version());
        }
    }

    @Test
    void textThatIsNotPrintedInTimeFailsWithTheOutput() throws Exception {
        TargetProgram program = scripts.program("echo almost >&2; exec sleep 100")
                .timeLimit(SHORT)
                .readyWhenPrinted("ready");
        assertThatThrownBy(() -> program.start(mayfly))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("did not print \"ready\" within PT2S")
                .hasMessageContaining("which is running")
                .hasMessageEndingWith("its output:\nalmost");
    }

    @Test
    void programThatEndsBeforeItIsReadyFailsAtOnceWithItsExitCode() throws Exception {
        TargetProgram program = scripts.program("echo broken; exit 3").readyWhenPrinted("ready");
        assertThatThrownBy(() -> program.start(mayfly))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("did not print \"ready\" before the end of its output\n")
                .hasMessageContaining("which has ended with exit code 3: ")
                .hasMessageEndingWith("its output:\nbroken");
    }

    @Test
    void closeEndsTheProgramAndItsChildrenEvenIfTheyIgnoreSigterm() throws Exception {
        TargetJvm jvm = scripts.program("trap '' TERM; sleep 100 & echo \"child $!\"; while :; do sleep 0.05; done")
                .start(mayfly);
        long child = Long.parseLong(jvm.awaitOutput("child").split(" ")[1]);
        jvm.close();
        assertThat(jvm.isAlive()).isFalse();
        ProcessHandle.of(child).ifPresent(handle -> handle.onExit().join());
        jvm.close();
    }

    @Test
    void processThatTheTestHasNotStartedIsNotEnded() throws Exception {
        Process other = new ProcessBuilder("sleep", "100").start();
        try (TargetJvm jvm = TargetJvm.ofProcess(other.pid(), mayfly, SHORT)) {
            assertThat(jvm.isAlive()).isTrue();
            assertThatThrownBy(() -> jvm.awaitOutput("x")).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> jvm.writeLine("x")).isInstanceOf(IllegalStateException.class);
        }
        assertThat(other.waitFor(0, TimeUnit.SECONDS)).isFalse();
        other.destroyForcibly();
    }

    @Test
    void missingJavaRuntimeIsNamed() {
        TargetProgram program = TargetProgram.of("Main").javaHome(folder.resolve("none"));
        assertThatThrownBy(() -> program.start(mayfly))
                .isInstanceOf(ProfilerTestException.class)
                .hasMessageContaining(folder.resolve("none/bin/java").toString());
    }

    @Test
    void missingMayflyIsReportedWithTheRemedyBeforeTheProgramStarts() throws Exception {
        TargetProgram program = scripts.program("echo started >" + folder.resolve("started"));
        System.setProperty("mayfly.home", folder.resolve("none").toString());
        try {
            ProfilerTestException failure = catchThrowableOfType(ProfilerTestException.class, program::start);
            assertThat(failure.reason()).hasValue(MayflyException.Reason.NOT_INSTALLED);
            assertThat(failure)
                    .hasMessageContaining("Mayfly was not found")
                    .hasMessageContaining("advice: unpack an archive of Mayfly")
                    .hasMessageContaining("MAYFLY_HOME");
        } finally {
            System.clearProperty("mayfly.home");
        }
        assertThat(folder.resolve("started")).doesNotExist();
    }

    @Test
    void interruptedWaitKeepsTheInterruptAndCloseEndsTheProgram() throws Exception {
        TargetJvm jvm = scripts.program("exec sleep 100").start(mayfly);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> jvm.awaitOutput("x"))
                .isInstanceOf(ProfilerTestException.class)
                .hasMessageContaining("interrupted");
        jvm.close();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(jvm.isAlive()).isFalse();
    }

    @Test
    void limitOutOfRangeIsAnIllegalArgument() {
        TargetProgram program = TargetProgram.of("Main");
        for (Duration wrong : new Duration[] {Duration.ZERO, Duration.ofSeconds(-1), Duration.ofDays(2)}) {
            assertThatThrownBy(() -> program.timeLimit(wrong)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> TargetJvm.ofProcess(1, mayfly, wrong))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }
}
