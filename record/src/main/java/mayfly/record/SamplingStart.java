package mayfly.record;

import java.io.IOException;
import mayfly.discovery.InspectedProcess;
import mayfly.record.event.ChosenSource;
import mayfly.record.event.EventSource;

/**
 * The start of sampling. A source whose samples can wait is enabled before the runtimes of a running target are read,
 * and the first sample comes that much sooner; any other is enabled by {@link RecordingSession#run}.
 *
 * @param chosen the open source
 * @param cpu the target's CPU time since the start
 * @param nanos CLOCK_MONOTONIC, ns; {@link #NOT_YET} if the source is not enabled yet
 */
record SamplingStart(ChosenSource chosen, CpuAccount cpu, long nanos) {
    private static final long NOT_YET = Long.MIN_VALUE;
    /** The time for which samples must be able to wait: four times that of reading a JVM on an idle machine. */
    private static final long MIN_HELD_NANOS = 250_000_000;
    /** A recording that is prepared in less than this part of the time has its first drain before samples are lost. */
    private static final int PART = 2;

    /** Leaves the start to the session. */
    static SamplingStart later(ChosenSource chosen, InspectedProcess target) {
        return new SamplingStart(chosen, account(chosen, target), NOT_YET);
    }

    /** Enables a source now if its samples can wait. */
    static SamplingStart now(ChosenSource chosen, InspectedProcess target) {
        return now(chosen, account(chosen, target), RecordingClock.MONOTONIC);
    }

    private static CpuAccount account(ChosenSource chosen, InspectedProcess target) {
        return CpuAccount.of(target.process().facts(), chosen.source().seesKernel());
    }

    static SamplingStart now(ChosenSource chosen, CpuAccount cpu, RecordingClock clock) {
        if (chosen.source().holdsNanos() < MIN_HELD_NANOS) {
            return new SamplingStart(chosen, cpu, NOT_YET);
        }
        long nanos = clock.nanos();
        cpu.start();
        try {
            chosen.source().enable();
            return new SamplingStart(chosen, cpu, nanos);
        } catch (IOException e) {
            return new SamplingStart(chosen, cpu, NOT_YET); // the session enables it again, and reports the reason
        }
    }

    EventSource source() {
        return chosen.source();
    }

    boolean isEarly() {
        return nanos != NOT_YET;
    }

    /** Returns true if samples have waited for so long that some may be lost before the first drain. */
    boolean isOverdue(long now) {
        return isEarly() && now - nanos > source().holdsNanos() / PART;
    }
}
