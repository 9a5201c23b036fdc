package mayfly.client;

import static mayfly.client.ScriptedMayfly.PID;
import static mayfly.client.ScriptedMayfly.sample;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import mayfly.client.MayflyException.Reason;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every failure is a {@link MayflyException} with its {@link Reason}. */
class FailuresTest {
    private static final Path EXIT_CODES = Path.of("..", "docs", "exit-codes.md");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| ([0-9]+) \\| (?:([A-Z_]+): )?");
    /** Reasons that no exit code of the table stands for. */
    private static final Set<Reason> OF_THE_LIBRARY = EnumSet.of(
            Reason.NOT_INSTALLED,
            Reason.NOT_STARTED,
            Reason.TIME_LIMIT,
            Reason.ANSWER_TOO_LARGE,
            Reason.BAD_ANSWER,
            Reason.OTHER);

    private final ScriptedMayfly command = new ScriptedMayfly();

    private static MayflyException failure(ThrowingCallable call) {
        MayflyException failure = catchThrowableOfType(MayflyException.class, call);
        assertThat(failure).isNotNull();
        return failure;
    }

    private MayflyException failedStack(int code, String stderr) {
        return failure(() -> command.ends(code, "", stderr).mayfly().stack(PID).run());
    }

    @Test
    void everyDocumentedExitCodeHasAReasonOfItsOwn() throws IOException {
        var found = new HashSet<>(OF_THE_LIBRARY);
        Matcher row = ROW.matcher(Files.readString(EXIT_CODES));
        while (row.find()) {
            int code = Integer.parseInt(row.group(1));
            if (code == 0) {
                continue;
            }
            MayflyException failure = failedStack(code, "");
            assertThat(failure.exitCode()).hasValue(code);
            assertThat(failure.reason()).as("exit code %d", code).isNotIn(OF_THE_LIBRARY);
            assertThat(found.add(failure.reason()))
                    .as("%s is the reason for one code", failure.reason())
                    .isTrue();
            String status = row.group(2);
            if (status != null && !status.equals("FAILED")) {
                assertThat(failure.reason().name()).isEqualTo(status);
            }
        }
        assertThat(found).containsExactlyInAnyOrder(Reason.values());
    }

    @Test
    void unknownExitCodeHasReasonOtherAndASignalHasReasonEndedBySignal() {
        assertThat(failedStack(99, "").reason()).isEqualTo(Reason.OTHER);
        assertThat(failedStack(255, "").reason()).isEqualTo(Reason.OTHER);
        assertThat(failedStack(137, "").reason()).isEqualTo(Reason.ENDED_BY_SIGNAL);
        assertThat(failedStack(143, "")).hasMessage("mayfly ended with exit code 143");
    }

    @Test
    void failureHasTheMessageTheKeyAndTheAdvice() {
        String stderr = "mayfly: /opt/m belongs to user id 7, who can change what root runs here [other-owner]\n"
                + "mayfly: there is no process 9 [no-such-process]\n  mayfly ps lists the JVMs\n";
        MayflyException failure = failedStack(3, stderr);
        assertThat(failure).hasMessage("there is no process 9 [no-such-process]");
        assertThat(failure.reason()).isEqualTo(Reason.TARGET_NOT_FOUND);
        assertThat(failure.key()).isEqualTo("no-such-process");
        assertThat(failure.advice()).isEqualTo("mayfly ps lists the JVMs");
        assertThat(failure.stderr()).isEqualTo(stderr);
    }

    @Test
    void missingJdkHasItsOwnReason() {
        MayflyException failure = failedStack(
                69,
                "mayfly: needs a JDK 25 or later to run on (not in the JVM it"
                        + " profiles): install one, such as temurin-25-jdk or openjdk-25-jdk, or set MAYFLY_JAVA_HOME"
                        + " [no-jdk]\n");
        assertThat(failure.reason()).isEqualTo(Reason.NO_JDK);
        assertThat(failure.key()).isEqualTo("no-jdk");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "\n",
                "{",
                "[]",
                "null",
                "7",
                "not JSON",
                "{}",
                "{\"schema\":7}",
                "{\"schema\":\"mayfly-record/2\"}",
                "{\"schema\":\"mayfly-record/1\"}"
            })
    void answerThatIsNotARecordingIsABadAnswer(String answer) {
        MayflyException failure =
                failure(() -> command.prints(answer).mayfly().record(PID).run());
        assertThat(failure.reason()).isEqualTo(Reason.BAD_ANSWER);
        assertThat(failure).hasMessageStartingWith("the answer of mayfly cannot be read: ");
        assertThat(failure.exitCode()).isEmpty();
    }

    @Test
    void otherSchemaIsNamed() {
        String answer = sample("record.json").replace("mayfly-record/1", "mayfly-record/2");
        assertThat(failure(() -> command.prints(answer).mayfly().record(PID).run()))
                .hasMessageEndingWith("the schema is mayfly-record/2 instead of mayfly-record/1");
    }

    @Test
    void answerWithoutAnyOneOfItsFieldsIsABadAnswer() throws Exception {
        for (String field : List.of("output", "samples", "broken", "procCpuNanos", "notes")) {
            String answer = sample("record.json").replace("\"" + field + "\":", "\"was-" + field + "\":");
            assertThat(failure(() -> command.prints(answer).mayfly().record(PID).run()))
                    .hasMessageEndingWith("there is no field " + field);
        }
        String thread = sample("stack.json").replaceFirst("\"tid\":", "\"id\":");
        assertThat(failure(() -> command.prints(thread).mayfly().stack(PID).run()))
                .hasMessageEndingWith("there is no field tid");
    }

    @Test
    void truncatedAnswerIsABadAnswer() {
        for (String name : List.of("record.json", "stack.json", "audit.json")) {
            String sample = sample(name).strip();
            for (int length = 1; length < sample.length(); length += 1 + sample.length() / 97) {
                String answer = sample.substring(0, length);
                assertThat(failure(() -> command.prints(answer)
                                        .mayfly()
                                        .record(PID)
                                        .run())
                                .reason())
                        .isEqualTo(Reason.BAD_ANSWER);
            }
        }
    }

    @Test
    void answerThatIsNotUtf8IsABadAnswer() {
        Mayfly mayfly = Mayfly.of(Path.of("/m"), words -> new ScriptedProcess(0, new byte[] {'{', (byte) 0xc3}, ""));
        assertThat(failure(() -> mayfly.stack(PID).run()).reason()).isEqualTo(Reason.BAD_ANSWER);
    }

    @Test
    void commandThatCannotBeStartedFailsWithReasonNotStarted() {
        Mayfly mayfly = Mayfly.of(Path.of("/m"), words -> {
            throw new IOException("error=13, Permission denied");
        });
        MayflyException failure = failure(() -> mayfly.stack(PID).run());
        assertThat(failure.reason()).isEqualTo(Reason.NOT_STARTED);
        assertThat(failure).hasMessageContaining("Permission denied").hasCauseInstanceOf(IOException.class);
    }

    @Test
    void failedComparisonIsNotMistakenForLeftovers() {
        MayflyException failure = failure(() -> command.ends(1, "", "mayfly: the target has ended [target-gone]\n")
                .mayfly()
                .audit(PID)
                .compare(Path.of("saved")));
        assertThat(failure.reason()).isEqualTo(Reason.FAILED);
        assertThat(failure.key()).isEqualTo("target-gone");
    }

    @Test
    void closeSucceedsIfTheProfilerIsGoneAndFailsOnATimeout() throws Exception {
        for (String gone : List.of("28 x [no-profiler]", "3 x [no-such-process]", "1 x [target-gone]")) {
            var attachment = command.prints(sample("attach.json"))
                    .mayfly()
                    .attach(PID, Path.of("/a.jar"))
                    .run();
            int code = Integer.parseInt(gone.split(" ")[0]);
            command.ends(code, "", "mayfly: " + gone + "\n");
            attachment.close();
        }
        try (var attachment = command.prints(sample("attach.json"))
                .mayfly()
                .attach(PID, Path.of("/a.jar"))
                .run()) {
            command.ends(19, "", "mayfly: it waits [timeout]\n");
            assertThat(failure(attachment::close).reason()).isEqualTo(Reason.TIMEOUT);
            command.prints("");
        }
        assertThat(command.arguments()).startsWith("detach");
    }

    @Test
    void interruptBeforeCloseIsDeferredUntilTheProfilerIsDetached() throws Exception {
        var attachment = command.prints(sample("attach.json"))
                .mayfly()
                .attach(PID, Path.of("/a.jar"))
                .run();
        Thread.currentThread().interrupt();
        attachment.close();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(command.arguments()).startsWith("detach");
    }

    @Test
    void emissionsOfAProfilerThatIsNotAttachedFailAfterTheLastLine() throws Exception {
        Attachment attachment = command.prints(sample("attach.json"))
                .mayfly()
                .attach(PID, Path.of("/a.jar"))
                .run();
        command.ends(28, "last", "mayfly: process 7 has no profiler [no-profiler]\n");
        try (Attachment.Emissions emissions = attachment.follow()) {
            assertThat(emissions.next(Duration.ofMinutes(1))).hasValue("last");
            MayflyException failure = failure(() -> emissions.next(Duration.ofMinutes(1)));
            assertThat(failure.reason()).isEqualTo(Reason.NO_PROFILER);
            assertThat(failure.key()).isEqualTo("no-profiler");
            assertThat(emissions.stderr()).contains("has no profiler");
        }
    }
}
