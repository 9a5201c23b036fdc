package mayfly.discovery;

import java.util.List;
import mayfly.process.Registers;
import mayfly.profile.RuntimeId;
import mayfly.runtime.FrameCursor;
import mayfly.runtime.FrameSink;
import mayfly.runtime.ManagedRuntime;
import mayfly.runtime.ManagedThread;
import mayfly.runtime.ManagedThreadInfo;
import mayfly.runtime.Step;

/** A runtime of a kind other than HotSpot, created by {@link StubLoader}. */
final class StubRuntime implements ManagedRuntime {
    private final RuntimeId id;
    private final long start;

    StubRuntime(RuntimeId id, long start) {
        this.id = id;
        this.start = start;
    }

    @Override
    public RuntimeId id() {
        return id;
    }

    @Override
    public String kind() {
        return "Stub";
    }

    @Override
    public String version() {
        return "1.0";
    }

    @Override
    public long libraryStart() {
        return start;
    }

    @Override
    public boolean owns(long pc) {
        return false;
    }

    @Override
    public boolean isLibrary(String path, long start) {
        return start == this.start;
    }

    @Override
    public Step step(FrameCursor cursor, FrameSink sink) {
        throw new UnsupportedOperationException("it owns no code");
    }

    @Override
    public void newEpoch(long nowNanos) {
        // It caches nothing.
    }

    @Override
    public boolean lastManagedFrame(long handle, Registers into) {
        return false;
    }

    @Override
    public List<ManagedThread> threads() {
        return List.of();
    }

    @Override
    public ManagedThreadInfo info(ManagedThread thread) {
        throw new UnsupportedOperationException("it has no threads");
    }
}
