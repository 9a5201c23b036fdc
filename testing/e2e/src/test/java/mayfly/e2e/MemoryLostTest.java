package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import mayfly.discovery.InspectedProcess;
import mayfly.kit.Command;
import mayfly.kit.Patience;
import mayfly.linux.LiveProcess;
import mayfly.process.MemoryFault;
import org.junit.jupiter.api.Test;

/** A process loses its memory before it ends, and a process without a first thread has none either. */
class MemoryLostTest {
    private static final Duration LIMIT = Patience.of(Duration.ofSeconds(10));

    /** The release of much memory takes seconds; here, the process waits in its exit. */
    @Test
    void processThatTakesLongToExitHasEnded() throws Exception {
        try (Endings ending = new Endings("last");
                InspectedProcess target = InspectedProcess.open(ending.pid)) {
            assertThat(target.isEnded()).isFalse();
            assertThat(Command.run(LIMIT, "kill", "-KILL", Integer.toString(ending.pid))
                            .exitCode())
                    .isZero();
            awaitLoss(target);
            assertThat(target.isEnded()).isTrue();
            assertThat(target.process().life().isAlive()).isTrue();
        }
    }

    @Test
    void processWhoseFirstThreadHasEndedContinues() throws Exception {
        try (Endings ending = new Endings("first");
                InspectedProcess target = InspectedProcess.open(ending.pid)) {
            ending.send();
            awaitLoss(target);
            assertThat(target.process().life().isEnding(0)).isTrue();
            assertThat(target.isEnded()).isFalse();
            ending.closeInput();
            assertThat(target.process().life().awaitExit((int) LIMIT.toMillis()))
                    .isTrue();
            assertThat(target.isEnded()).isTrue();
        }
    }

    private static void awaitLoss(InspectedProcess target) throws Exception {
        LiveProcess process = target.process();
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!process.isMemoryGone() && System.nanoTime() - deadline < 0) {
            try {
                process.memory().readByte(0);
            } catch (MemoryFault e) {
                Thread.onSpinWait();
            }
        }
        assertThatThrownBy(() -> process.memory().readByte(0)).isInstanceOf(MemoryFault.class);
        assertThat(process.isMemoryGone()).isTrue();
    }

    /** The program endings.c. */
    private static final class Endings implements AutoCloseable {
        private final Process process;
        private final int pid;

        Endings(String how) throws IOException {
            process = new ProcessBuilder(CSource.build("endings", "-pthread").toString(), how)
                    .redirectError(Redirect.INHERIT)
                    .start();
            String line = process.inputReader().readLine();
            assumeTrue(line != null, "no pid namespaces here");
            pid = Integer.parseInt(line);
        }

        void send() throws IOException {
            process.getOutputStream().write('\n');
            process.getOutputStream().flush();
        }

        void closeInput() throws IOException {
            process.getOutputStream().close();
        }

        @Override
        public void close() throws IOException {
            closeInput();
            process.onExit()
                    .completeOnTimeout(process, LIMIT.toMillis(), TimeUnit.MILLISECONDS)
                    .join();
            process.destroyForcibly();
        }
    }
}
