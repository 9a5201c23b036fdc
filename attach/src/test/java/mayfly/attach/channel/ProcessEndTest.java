package mayfly.attach.channel;

import static org.assertj.core.api.Assertions.assertThat;

import mayfly.process.ProcessLife;
import org.junit.jupiter.api.Test;

class ProcessEndTest {

    /** A process whose first thread has begun to exit, or has not, after any wait. */
    private record Scripted(boolean ending) implements ProcessLife {
        @Override
        public boolean isAlive() {
            return true;
        }

        @Override
        public boolean awaitExit(int millis) {
            return false;
        }

        @Override
        public boolean isEnding(int millis) {
            return ending && millis > 0;
        }

        @Override
        public boolean isExiting() {
            return false;
        }
    }

    @Test
    void processThatBeginsToExitWithinTheWaitIsNearItsEnd() {
        assertThat(ProcessEnd.isNear(new Scripted(true))).isTrue();
        assertThat(ProcessEnd.isNear(new Scripted(false))).isFalse();
    }
}
