package mayfly.linux;

import java.io.IOException;
import mayfly.linux.sys.Pidfd;
import mayfly.process.ProcessLife;

/** The life of a process that a pidfd holds. */
final class PidfdLife implements ProcessLife {
    private final Pidfd pidfd;
    private final ProcFacts facts;
    private final ProcessThreads threads;

    PidfdLife(Pidfd pidfd, ProcFacts facts, ProcessThreads threads) {
        this.pidfd = pidfd;
        this.facts = facts;
        this.threads = threads;
    }

    @Override
    public boolean isAlive() {
        return pidfd.isAlive();
    }

    @Override
    public boolean awaitExit(int millis) {
        return pidfd.awaitExit(millis);
    }

    @Override
    public boolean isEnding(int millis) {
        if (awaitExit(millis)) {
            return true;
        }
        try {
            return facts.isExiting();
        } catch (IOException e) {
            return !isAlive();
        }
    }

    @Override
    public boolean isExiting() {
        return threads.areExiting();
    }
}
