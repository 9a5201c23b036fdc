package mayfly.profilers.testing;

import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import mayfly.api.Profiler;
import mayfly.api.ProfilerInfo;

/** Starts a thread in its constructor, which then throws an exception, so that the thread remains. */
public final class FailingConstructorProfiler implements Profiler {

    public FailingConstructorProfiler() {
        new Thread(FailingConstructorProfiler::stay, "abandoned").start();
        throw new IllegalStateException("thrown by the constructor");
    }

    private static void stay() {
        while (System.getProperty("mayfly.testing.release") == null) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Override
    public void initializeForAttach(ProfilerInfo info, Optional<byte[]> clientData) {
        throw new IllegalStateException("there is no such profiler");
    }
}
