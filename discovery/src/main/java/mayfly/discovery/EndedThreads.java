package mayfly.discovery;

import java.util.List;
import mayfly.process.KernelThreadName;
import mayfly.process.KernelThreads;
import mayfly.process.TargetThread;

/**
 * The threads of a process that has ended and whose memory is held. The kernel no longer has these threads. Each thread
 * that a JVM lists is reported as that JVM's reference handler, so that the JVM counts as started; it is assumed to be
 * the only one of the process.
 */
final class EndedThreads implements KernelThreads {
    /** The kernel's name of the thread that each JVM starts first. */
    private static final String REFERENCE_HANDLER =
            KernelThreadName.of("Reference Handler").iterator().next();

    private static final long START_TICKS = 1;

    @Override
    public List<TargetThread> threads() {
        return List.of();
    }

    @Override
    public TargetThread threadByInnermostTid(int tid) {
        return new TargetThread(tid, REFERENCE_HANDLER, 'X', START_TICKS, 0, 0);
    }

    @Override
    public long nowTicks() {
        return Long.MAX_VALUE;
    }
}
