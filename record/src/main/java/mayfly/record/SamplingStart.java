package mayfly.record;

import java.io.IOException;
import mayfly.discovery.InspectedProcess;
import mayfly.record.event.EventSources;

/**
 * The start of sampling. Sources whose samples can all wait are enabled before the runtimes of a running target are
 * read, and the first sample comes that much sooner; others are enabled by {@link RecordingSession#run}.
 *
 * @param sources the open sources
 * @param cpu the target's CPU time since the start
 * @param nanos CLOCK_MONOTONIC, ns; {@link #NOT_YET} if the sources are not enabled yet
 */
record SamplingStart(EventSources sources, CpuAccount cpu, long nanos) {
    private static final long NOT_YET = Long.MIN_VALUE;
    /** The time for which samples must be able to wait: four times that of reading a JVM on an idle machine. */
    private static final long MIN_HELD_NANOS = 250_000_000;
    /** A recording that is prepared in less than this part of the time has its first drain before samples are lost. */
    private static final int PART = 2;

    /** Leaves the start to the session. */
    static SamplingStart later(EventSources sources, InspectedProcess target) {
        return new SamplingStart(sources, account(sources, target), NOT_YET);
    }

    /** Enables the sources now if their samples can wait. */
    static SamplingStart now(EventSources sources, InspectedProcess target) {
        return now(sources, account(sources, target), RecordingClock.MONOTONIC);
    }

    private static CpuAccount account(EventSources sources, InspectedProcess target) {
        return CpuAccount.of(target.process().facts(), sources.seesKernel());
    }

    static SamplingStart now(EventSources sources, CpuAccount cpu, RecordingClock clock) {
        if (sources.holdsNanos() < MIN_HELD_NANOS) {
            return new SamplingStart(sources, cpu, NOT_YET);
        }
        long nanos = clock.nanos();
        cpu.start();
        try {
            sources.enable();
            return new SamplingStart(sources, cpu, nanos);
        } catch (IOException e) {
            return new SamplingStart(sources, cpu, NOT_YET); // the session enables them again, and reports the reason
        }
    }

    boolean isEarly() {
        return nanos != NOT_YET;
    }

    /** Returns true if samples have waited for so long that some may be lost before the first drain. */
    boolean isOverdue(long now) {
        return isEarly() && now - nanos > sources.holdsNanos() / PART;
    }
}
