package mayfly.record;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import mayfly.arch.Architecture;
import mayfly.arch.x86.X86_64;
import mayfly.discovery.CommandLine;
import mayfly.runtime.ManagedRuntime;
import mayfly.unwind.Walker;

/** The target of a recording, whose state a test sets. */
final class ScriptedTarget implements RecordedTarget {
    /** The calls that change something, in order. */
    final List<String> calls = new ArrayList<>();
    /** The runtimes that each of the next looks finds in addition. */
    final Deque<List<ManagedRuntime>> finds = new ArrayDeque<>();
    /** The times for which a walker was requested. */
    final List<Long> walkedTimes = new ArrayList<>();

    List<ManagedRuntime> runtimes = List.of();
    boolean isSpawned;
    boolean isHeld = true;
    boolean hasUnknownLibrary;
    boolean isStarting;
    boolean isReplaced;
    boolean isEnded;
    boolean isStillRunning = true;
    int looks;

    static ScriptedTarget with(ManagedRuntime... runtimes) {
        var target = new ScriptedTarget();
        target.runtimes = List.of(runtimes);
        return target;
    }

    /** A target that the session starts, without a runtime. */
    static ScriptedTarget spawned() {
        var target = new ScriptedTarget();
        target.isSpawned = true;
        return target;
    }

    @Override
    public Architecture architecture() {
        return X86_64.ARCHITECTURE;
    }

    @Override
    public boolean isSpawned() {
        return isSpawned;
    }

    @Override
    public void start(Runnable begun) {
        begun.run();
        calls.add("start");
    }

    @Override
    public boolean isHeld() {
        return isHeld;
    }

    @Override
    public CommandLine commandLine() {
        return CommandLine.ofCommand(List.of("java", "Orders"));
    }

    @Override
    public List<ManagedRuntime> runtimes() {
        return runtimes;
    }

    @Override
    public boolean lookAgain() {
        looks++;
        List<ManagedRuntime> found = finds.isEmpty() ? List.of() : finds.poll();
        List<ManagedRuntime> all = new ArrayList<>(runtimes);
        all.addAll(found);
        runtimes = List.copyOf(all);
        return !found.isEmpty();
    }

    @Override
    public boolean hasUnknownLibrary() {
        return hasUnknownLibrary;
    }

    @Override
    public boolean isStarting() {
        return isStarting;
    }

    @Override
    public boolean isReplaced() {
        return isReplaced;
    }

    @Override
    public boolean isEnded() {
        return isEnded;
    }

    @Override
    public boolean isStillRunning(int tid, long time) {
        return isStillRunning;
    }

    @Override
    public void followExec() {
        calls.add("followExec");
    }

    @Override
    public void drained() {
        calls.add("drained");
    }

    @Override
    public void newEpoch(long now) {
        calls.add("newEpoch");
    }

    @Override
    public long supersededCode() {
        return runtimes.stream().mapToLong(ManagedRuntime::supersededCode).sum();
    }

    @Override
    public Walker walkerAt(long time) {
        walkedTimes.add(time);
        return new Walker(NoFiles.ZEROS, NoFiles.ZEROS, NoFiles.code(), runtimes);
    }

    @Override
    public void close() {
        calls.add("close");
    }
}
