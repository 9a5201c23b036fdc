package mayfly.profilers.testing;

import mayfly.api.Profiler;
import mayfly.api.Stamp;
import mayfly.api.ThreadId;
import mayfly.api.event.AllocationSample;
import mayfly.api.event.ObjectMonitor;

/** Counts the calls of callbacks that do nothing else. */
abstract class CountingProfiler implements Profiler {
    final Counts counts = new Counts();

    @Override
    public void allocationSampled(Stamp at, AllocationSample sample) {
        counts.add("allocationSampled");
    }

    @Override
    public void contentionStarted(Stamp at, ThreadId thread, ObjectMonitor monitor) {
        counts.add("contentionStarted");
    }

    @Override
    public void contentionFinished(Stamp at, ThreadId thread, ObjectMonitor monitor) {
        counts.add("contentionFinished");
    }

    @Override
    public void waitStarted(Stamp at, ThreadId thread, ObjectMonitor monitor) {
        counts.add("waitStarted");
    }

    @Override
    public void waitFinished(Stamp at, ThreadId thread, ObjectMonitor monitor, boolean timedOut) {
        counts.add("waitFinished");
    }
}
