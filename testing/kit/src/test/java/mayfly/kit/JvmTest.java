package mayfly.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("jvm")
class JvmTest {
    static List<Jdk> jdks() {
        return Jdk.oneOfEach();
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void ladderTargetHasItsFramesAtTheirLines(Jdk jdk) {
        try (Jvm jvm = Jvm.run("Ladder").on(jdk).start()) {
            List<String> own = Stream.of(jvm.ask("chain").split(" "))
                    .filter(f -> f.startsWith("mayfly.targets.L"))
                    .filter(f -> !f.contains("Lambda"))
                    .toList();
            assertThat(own).hasSize(5);

            assertThat(ThreadPrint.of(jvm).named("ladder").lines()).containsSubsequence(own);
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void blockedTargetHasThreadsOfManyKinds(Jdk jdk) {
        try (Jvm jvm = Jvm.run("Blocked").on(jdk).start()) {
            var kinds = ThreadPrint.of(jvm).startingWith("kind-");

            assertThat(kinds)
                    .hasSizeGreaterThanOrEqualTo(35)
                    .allSatisfy(t -> assertThat(t.frames()).isNotEmpty());
        }
    }

    @Test
    void closeEndsTheProcess() {
        Jvm jvm = Jvm.run("Idle").start();
        jvm.close();

        assertThat(ProcessHandle.of(jvm.pid()).filter(ProcessHandle::isAlive)).isEmpty();
    }

    @Test
    void targetEndsOnExit() {
        try (Jvm jvm = Jvm.run("Idle").start()) {
            assertThat(jvm.ask("hello")).isEqualTo("hello");
            assertThat(jvm.exit()).isZero();
        }
    }

    @Test
    void unreadyTargetReportsTheCommandToReproduceIt() {
        var plan = Jvm.run("NoSuchProgram").patience(Duration.ofSeconds(30));

        assertThatThrownBy(plan::start)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("mayfly.targets.NoSuchProgram")
                .hasMessageContaining("ClassNotFoundException");
    }

    @Test
    void cpuTimeOfABusyTargetIsReadFromTheKernel() {
        try (Jvm jvm = Jvm.run("Busy").args("1").start()) {
            Cpu before = Cpu.of(jvm.pid());
            long busy = Long.parseLong(jvm.ask("cpu"));
            while (Long.parseLong(jvm.ask("cpu")) - busy < 100_000_000) {
                Thread.onSpinWait();
            }
            assertThat(Cpu.of(jvm.pid()).since(before).totalNanos()).isGreaterThan(80_000_000);
            assertThat(Cpu.ofThreads(jvm.pid())).hasSizeGreaterThan(5);
        }
    }
}
