package mayfly.client;

import static mayfly.client.ScriptedMayfly.PID;
import static mayfly.client.ScriptedMayfly.sample;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The arguments of each command. */
class CommandLineTest {
    private static final String TARGET = Long.toString(PID);

    private final ScriptedMayfly command = new ScriptedMayfly();
    private final Mayfly mayfly = command.mayfly();

    @Test
    void recordPassesEveryOption() throws Exception {
        command.prints(sample("record.json"));
        mayfly.record(PID).run();
        assertThat(command.arguments()).containsExactly("record", "--json", "--quiet", "--", TARGET);
        mayfly.record(PID)
                .duration(Duration.ofMillis(90_500))
                .rate(999)
                .event("wall")
                .to(Path.of("/x y/cpu.html"))
                .format("text")
                .kernel()
                .collector("ptrace")
                .threads()
                .withoutNative()
                .lines()
                .runtime("r2")
                .run();
        assertThat(command.arguments())
                .containsExactly(
                        "record",
                        "--collector=ptrace",
                        "--duration=90.500s",
                        "--event=wall",
                        "--format=text",
                        "--json",
                        "--kernel",
                        "--lines",
                        "--no-native",
                        "--output=/x y/cpu.html",
                        "--quiet",
                        "--rate=999",
                        "--runtime=r2",
                        "--threads",
                        "--",
                        TARGET);
    }

    @Test
    void relativePathBecomesAbsolute() throws Exception {
        command.prints(sample("record.json"));
        mayfly.record(PID).to(Path.of("-")).run();
        assertThat(command.arguments()).contains("--output=" + Path.of("-").toAbsolutePath());
    }

    @Test
    void lastValueOfAnOptionCounts() throws Exception {
        command.prints(sample("record.json"));
        RecordRequest request = mayfly.record(PID).rate(1);
        request.rate(2).rate(3).run();
        assertThat(command.arguments()).contains("--rate=3").doesNotContain("--rate=1", "--rate=2");
        request.run();
        assertThat(command.arguments()).as("a request does not change").contains("--rate=1");
    }

    @Test
    void stackPassesEveryOption() throws Exception {
        command.prints(sample("stack.json"));
        mayfly.stack(PID)
                .thread("-main")
                .together()
                .virtual()
                .holes()
                .withoutHidden()
                .run();
        assertThat(command.arguments())
                .containsExactly(
                        "stack",
                        "--holes",
                        "--json",
                        "--no-hidden",
                        "--quiet",
                        "--thread=-main",
                        "--together",
                        "--virtual",
                        "--",
                        TARGET);
    }

    @Test
    void attachAndTheCommandsForItsProfilerPassEveryOption() throws Exception {
        command.prints(sample("attach.json"));
        var attachment = mayfly.attach(PID, Path.of("/a.jar"))
                .profilerClass("a.B")
                .data("@x")
                .dataFile(Path.of("/d"))
                .timeout(Duration.ofSeconds(1))
                .runtime("17")
                .acceptLastingCost()
                .acceptRemainingClasses()
                .run();
        assertThat(command.arguments())
                .containsExactly(
                        "attach",
                        "--accept-lasting-cost",
                        "--accept-remaining-classes",
                        "--data-file=/d",
                        "--data=@x",
                        "--json",
                        "--profiler=/a.jar=a.B",
                        "--quiet",
                        "--runtime=17",
                        "--timeout=1.000s",
                        "--",
                        TARGET);
        attachment.send("-x", Duration.ofMillis(1));
        assertThat(command.arguments()).containsExactly("send", "--runtime=r2", "--timeout=0.001s", "--", TARGET, "-x");
        attachment
                .detaching()
                .timeout(Duration.ofMinutes(1))
                .withoutWaiting()
                .force()
                .collect()
                .reason("")
                .run();
        assertThat(command.arguments())
                .containsExactly(
                        "detach",
                        "--collect",
                        "--force",
                        "--no-wait",
                        "--quiet",
                        "--reason=",
                        "--runtime=r2",
                        "--timeout=60.000s",
                        "--",
                        TARGET);
        attachment.close();
        assertThat(command.arguments()).containsExactly("detach", "--quiet", "--runtime=r2", "--", TARGET);
        assertThat(attachment.pid()).isEqualTo(PID);
    }

    @Test
    void emissionsAreReadLineByLineInTheChosenJvm() throws Exception {
        command.prints(sample("attach.json"));
        Attachment attachment = mayfly.attach(PID, Path.of("/a.jar")).run();
        command.prints("one\n\nthree");
        try (Attachment.Emissions emissions = attachment.follow()) {
            assertThat(command.arguments()).containsExactly("status", "--follow", "--runtime=r2", "--", TARGET);
            assertThat(emissions.next(Duration.ofMinutes(1))).hasValue("one");
            assertThat(emissions.next(Duration.ZERO)).hasValue("");
            assertThat(emissions.next(Duration.ofMinutes(1))).hasValue("three");
            assertThat(emissions.next(Duration.ofMinutes(1))).isEmpty();
            assertThat(emissions.hasEnded()).isTrue();
        }
    }

    @Test
    void profilerOfSeveralJvmsIsAddressedInAllOrInOneOfThem() throws Exception {
        command.prints(sample("attach-several.json"));
        Attachment attachment =
                mayfly.attach(PID, Path.of("/a.jar")).runtime("all").run();
        assertThat(attachment.runtimes()).containsExactly("r1", "r3");
        attachment.detach();
        assertThat(command.arguments()).containsExactly("detach", "--quiet", "--runtime=r1,r3", "--", TARGET);
        attachment.in("r3").send("x");
        assertThat(command.arguments()).containsExactly("send", "--runtime=r3", "--", TARGET, "x");
        assertThatThrownBy(() -> attachment.in("r2")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void textThatBeginsWithAnAtSignIsNotMistakenForAFile() throws Exception {
        command.prints(sample("attach.json"));
        mayfly.attach(PID, Path.of("/a.jar")).run().send("@/etc/passwd");
        assertThat(command.arguments()).endsWith("--", TARGET, "@@/etc/passwd");
    }

    @Test
    void auditPassesItsFilesAndPsNoTarget() throws Exception {
        command.prints(sample("audit.json"));
        mayfly.audit(PID).save(Path.of("/saved")).run();
        assertThat(command.arguments()).containsExactly("audit", "--json", "--save=/saved", "--", TARGET);
        command.prints(sample("audit-compared.json"));
        mayfly.audit(PID).compare(Path.of("/saved"));
        assertThat(command.arguments()).containsExactly("audit", "--compare=/saved", "--json", "--", TARGET);
        command.prints(sample("ps.json"));
        mayfly.ps();
        assertThat(command.arguments()).containsExactly("ps", "--json");
    }

    @Test
    void valueThatCannotBePassedIsAnIllegalArgument() throws Exception {
        RecordRequest request = mayfly.record(PID);
        for (Duration wrong :
                new Duration[] {Duration.ZERO, Duration.ofSeconds(-1), Duration.ofNanos(1), Duration.ofDays(100_000)}) {
            assertThatThrownBy(() -> request.duration(wrong)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> mayfly.timeLimit(Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> mayfly.attach(PID, Path.of("/a=b.jar")).run())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the class must be set too");
        assertThatThrownBy(() -> mayfly.stack(PID).thread("a\0b").run()).isInstanceOf(IllegalArgumentException.class);
        assertThat(command.count()).isZero();
    }
}
