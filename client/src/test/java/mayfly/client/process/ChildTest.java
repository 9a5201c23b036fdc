package mayfly.client.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Children that are shell scripts. */
@Tag("slow")
@Timeout(60)
class ChildTest {
    private static final Deadline NEVER = Deadline.in(Optional.empty());
    private static final List<Duration> SOON = List.of(Duration.ofMillis(300), Duration.ofMillis(300));

    @TempDir
    private Path folder;

    private static Ended run(String script) throws IOException, InterruptedException {
        return Child.run(Starter.PROGRAMS, List.of("/bin/sh", "-c", script), NEVER);
    }

    private static Ended runFor(Duration limit, String script) throws IOException, InterruptedException {
        return Child.run(Starter.PROGRAMS, List.of("/bin/sh", "-c", script), Deadline.in(Optional.of(limit)), SOON);
    }

    private static String out(Ended ended) {
        return new String(ended.out());
    }

    @Test
    void outputMessagesAndExitCodeAreReturned() throws Exception {
        Ended ended = run("echo one; echo two >&2; exit 7");
        assertThat(ended.how()).isEqualTo(Ended.How.EXITED);
        assertThat(ended.code()).isEqualTo(7);
        assertThat(out(ended)).isEqualTo("one\n");
        assertThat(ended.err()).isEqualTo("two\n");
        assertThat(ended.untraceable()).isEmpty();
    }

    @Test
    void largeOutputIsReadCompletely() throws Exception {
        Ended ended = run("i=0; while [ $i -lt 20000 ]; do echo 0123456789012345678901234567890123456789 $i;"
                + " echo $i >&2; i=$((i+1)); done");
        assertThat(out(ended).lines()).hasSize(20_000).last().asString().endsWith(" 19999");
        assertThat(ended.err()).hasSize(Child.MAX_ERR).endsWith("\n19999\n");
    }

    @Test
    void standardInputIsClosed() throws Exception {
        assertThat(out(run("read -r line || echo closed"))).isEqualTo("closed\n");
    }

    @Test
    void descendantThatKeepsThePipesDoesNotDelayTheEnd() throws Exception {
        Ended ended = run("sleep 50 & echo $!");
        assertThat(ended.code()).isZero();
        ProcessHandle.of(Long.parseLong(out(ended).strip())).orElseThrow().destroyForcibly();
    }

    @Test
    void childThatExceedsItsTimeIsEndedBySigterm() throws Exception {
        Path signalled = folder.resolve("signalled");
        Ended ended = runFor(
                Duration.ofMillis(500),
                "trap 'touch " + signalled + "; exit 0' TERM; echo early;" + " while :; do sleep 0.05; done");
        assertThat(ended.how()).isEqualTo(Ended.How.TIME_LIMIT);
        assertThat(out(ended)).isEqualTo("early\n");
        assertThat(signalled).exists();
    }

    @Test
    void childThatIgnoresSigtermIsKilled() throws Exception {
        Path pid = folder.resolve("pid");
        Ended ended =
                runFor(Duration.ofMillis(200), "trap '' TERM; echo $$ >" + pid + "; while :; do sleep 0.05; done");
        assertThat(ended.how()).isEqualTo(Ended.How.TIME_LIMIT);
        assertThat(ProcessHandle.of(Long.parseLong(Files.readString(pid).strip())))
                .isEmpty();
    }

    @Test
    void endlessOutputIsEndedAtItsLimit() throws Exception {
        Ended ended = Child.run(Starter.PROGRAMS, List.of("yes"), NEVER, SOON);
        assertThat(ended.how()).isEqualTo(Ended.How.TOO_LARGE);
        assertThat(ended.out()).hasSizeBetween(Child.MAX_OUT, Child.MAX_OUT + (1 << 20));
    }

    @Test
    void interruptEndsTheChildAndIsThrown() throws Exception {
        Path pid = folder.resolve("pid");
        Path signalled = folder.resolve("signalled");
        var started = new CountDownLatch(1);
        Starter starter = command -> {
            Process process = Starter.PROGRAMS.start(command);
            started.countDown();
            return process;
        };
        var result = new FutureTask<>(() -> {
            assertThatThrownBy(() -> Child.run(
                            starter,
                            List.of(
                                    "/bin/sh",
                                    "-c",
                                    "trap 'touch " + signalled + "; exit 0' TERM; echo $$ >" + pid
                                            + "; while :; do sleep 0.05; done"),
                            NEVER))
                    .isInstanceOf(InterruptedException.class);
            return Thread.currentThread().isInterrupted();
        });
        var caller = new Thread(result);
        caller.start();
        started.await();
        while (!Files.exists(pid) || Files.size(pid) == 0) {
            Thread.onSpinWait();
        }
        caller.interrupt();
        assertThat(result.get()).as("the flag is clear").isFalse();
        assertThat(signalled).exists();
        assertThat(ProcessHandle.of(Long.parseLong(Files.readString(pid).strip())))
                .isEmpty();
    }

    @Test
    void interruptBeforeTheCallEndsTheChildToo() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> run("while :; do sleep 0.05; done")).isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void missingProgramIsAnIOException() {
        assertThatThrownBy(() -> Child.run(Starter.PROGRAMS, List.of("/none"), NEVER))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("/none");
    }

    @Test
    void endedAndTimedOutChildLeavesNoThread() throws Exception {
        run("true");
        Set<String> before = threads();
        run("echo one; echo two >&2");
        runFor(Duration.ofMillis(200), "sleep 50");
        assertThat(threads()).isEqualTo(before);
    }

    /** Returns the live threads, without those that the JDK keeps to wait for children. */
    private static Set<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> !name.startsWith("process reaper"))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
