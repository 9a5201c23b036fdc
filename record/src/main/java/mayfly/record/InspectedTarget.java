package mayfly.record;

import java.util.List;
import java.util.Objects;
import mayfly.arch.Architecture;
import mayfly.discovery.CommandLine;
import mayfly.discovery.InspectedProcess;
import mayfly.discovery.SpawnedProcess;
import mayfly.runtime.ManagedRuntime;
import mayfly.unwind.Walker;
import org.jspecify.annotations.Nullable;

/**
 * A live process as the target of a recording.
 *
 * @param process the process; closed with this object
 * @param spawned the same process, if this session starts it
 */
record InspectedTarget(InspectedProcess process, @Nullable SpawnedProcess spawned) implements RecordedTarget {

    @Override
    public Architecture architecture() {
        return process.process().architecture();
    }

    @Override
    public boolean isSpawned() {
        return spawned != null;
    }

    @Override
    public void start(Runnable begun) {
        Objects.requireNonNull(spawned).resumeHeld(process.process(), begun);
    }

    @Override
    public boolean isHeld() {
        return process.process().isHeld();
    }

    @Override
    public CommandLine commandLine() {
        return process.commandLine();
    }

    @Override
    public List<ManagedRuntime> runtimes() {
        return process.runtimes();
    }

    @Override
    public boolean lookAgain() {
        return process.lookAgain();
    }

    @Override
    public boolean hasUnknownLibrary() {
        return process.hasUnknownLibrary();
    }

    @Override
    public boolean isStarting() {
        return process.isStarting();
    }

    @Override
    public boolean isReplaced() {
        return process.isReplaced();
    }

    @Override
    public boolean isEnded() {
        return process.isEnded();
    }

    @Override
    public boolean isStillRunning(int tid, long time) {
        return process.process().threadFacts().isStillRunning(tid, time);
    }

    @Override
    public void followExec() {
        process.followExec();
    }

    @Override
    public void drained() {
        process.drained();
    }

    @Override
    public void newEpoch(long now) {
        process.newEpoch(now);
    }

    @Override
    public long supersededCode() {
        return process.supersededCode();
    }

    @Override
    public Walker walkerAt(long time) {
        return process.walkerAt(time);
    }

    @Override
    public void close() {
        process.close();
    }
}
