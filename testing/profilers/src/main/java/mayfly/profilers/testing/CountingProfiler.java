package mayfly.profilers.testing;

import mayfly.api.ClassId;
import mayfly.api.CompiledMethod;
import mayfly.api.ModuleId;
import mayfly.api.Profiler;
import mayfly.api.Stamp;
import mayfly.api.ThreadId;
import mayfly.api.event.AllocationSample;
import mayfly.api.event.ObjectMonitor;

/** Counts the calls of callbacks that do nothing else. */
abstract class CountingProfiler implements Profiler {
    final Counts counts = new Counts();

    @Override
    public void classUnloaded(Stamp at, ClassId type) {
        counts.add("classUnloaded");
    }

    @Override
    public void moduleLoaded(Stamp at, ModuleId module) {
        counts.add("moduleLoaded");
    }

    @Override
    public void moduleUnloaded(Stamp at, ModuleId module) {
        counts.add("moduleUnloaded");
    }

    @Override
    public void garbageCollectionFinished(Stamp at) {
        counts.add("garbageCollectionFinished");
    }

    @Override
    public void methodCompiled(Stamp at, CompiledMethod method) {
        counts.add("methodCompiled");
    }

    @Override
    public void methodUnloaded(Stamp at, long address) {
        counts.add("methodUnloaded");
    }

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
