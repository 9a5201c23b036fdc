package mayfly.client.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The permission for a child, with a ptracer that records its calls. */
@Tag("slow")
@Timeout(60)
class OwnProcessTest {
    private static final Deadline NEVER = Deadline.in(Optional.empty());

    @TempDir
    private Path folder;

    private Path scope;
    private Path proof;
    private final List<Long> permitted = Collections.synchronizedList(new ArrayList<>());
    private Optional<String> obstacle = Optional.empty();
    private Optional<String> refusal = Optional.empty();
    private boolean isTooLate;

    @BeforeEach
    void setFiles() {
        scope = folder.resolve("ptrace_scope");
        proof = folder.resolve("proof");
    }

    private OwnProcess process() {
        return new OwnProcess(scope, new TracePermission() {
            @Override
            public Optional<String> obstacle() {
                return obstacle;
            }

            @Override
            public Optional<String> permit(long pid) {
                permitted.add(pid);
                isTooLate |= pid != 0 && Files.exists(proof);
                return refusal;
            }
        });
    }

    private List<String> command(String end) {
        return List.of("/bin/sh", "-c", "touch " + proof + "; echo $$ \"$@\"; " + end, "sh", "-a", "b c");
    }

    private Ended run(String end) throws IOException, InterruptedException {
        return process().run(Starter.PROGRAMS, command(end), NEVER);
    }

    @Test
    void childIsPermittedBeforeItBecomesTheCommandAndOnlyWhileItRuns() throws Exception {
        Files.writeString(scope, "1\n");
        Ended ended = run("exit 3");
        assertThat(ended.code()).isEqualTo(3);
        assertThat(permitted).hasSize(2).last().isEqualTo(0L);
        assertThat(new String(ended.out())).isEqualTo(permitted.get(0) + " -a b c\n");
        assertThat(isTooLate).isFalse();
        assertThat(ended.untraceable()).isEmpty();
    }

    @Test
    void permissionIsNotChangedUnlessYamaPermitsOnlyDescendants() throws Exception {
        assertThat(run("true").code()).as("no Yama").isZero();
        for (String other : List.of("0\n", "2\n", "3\n")) {
            Files.writeString(scope, other);
            assertThat(run("true").untraceable()).isEmpty();
        }
        assertThat(permitted).isEmpty();
    }

    @Test
    void commandRunsWithTheReasonIfThePermissionIsNotPossible() throws Exception {
        Files.writeString(scope, "1\n");
        obstacle = Optional.of("too old");
        Ended ended = run("true");
        assertThat(ended.code()).isZero();
        assertThat(ended.untraceable()).hasValue("too old");
        assertThat(permitted).isEmpty();
        obstacle = Optional.empty();
        refusal = Optional.of("refused");
        assertThat(run("true").untraceable()).hasValue("refused");
        assertThat(permitted).hasSize(2);
    }

    @Test
    void permissionIsTakenBackAfterATimeLimitAndAfterAnInterrupt() throws Exception {
        Files.writeString(scope, "1\n");
        Ended ended = process()
                .run(Starter.PROGRAMS, command("exec sleep 50"), Deadline.in(Optional.of(Duration.ofMillis(300))));
        assertThat(ended.how()).isEqualTo(Ended.How.TIME_LIMIT);
        assertThat(permitted).hasSize(2).last().isEqualTo(0L);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> run("exec sleep 50")).isInstanceOf(InterruptedException.class);
    }

    @Test
    void secondCommandWaitsForTheFirst() throws Exception {
        Files.writeString(scope, "1\n");
        OwnProcess process = process();
        var first = new FutureTask<>(() -> process.run(
                Starter.PROGRAMS, command("while [ ! -e " + folder.resolve("go") + " ]; do sleep 0.05; done"), NEVER));
        new Thread(first).start();
        while (!Files.exists(proof)) {
            Thread.onSpinWait();
        }
        Ended second = process.run(Starter.PROGRAMS, command("true"), Deadline.in(Optional.of(Duration.ofMillis(100))));
        assertThat(second.how()).isEqualTo(Ended.How.TIME_LIMIT);
        assertThat(second.untraceable()).hasValue("another command is inspecting this process");
        Files.createFile(folder.resolve("go"));
        assertThat(first.get().code()).isZero();
        Files.delete(proof);
        assertThat(process.run(Starter.PROGRAMS, command("true"), NEVER).code()).isZero();
        assertThat(permitted).hasSize(4);
    }
}
