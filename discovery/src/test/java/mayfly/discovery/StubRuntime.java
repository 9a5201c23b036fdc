package mayfly.discovery;

import java.util.List;
import mayfly.profile.RuntimeId;
import mayfly.runtime.ManagedRuntime;
import mayfly.runtime.thread.ManagedThread;
import mayfly.runtime.thread.ManagedThreadInfo;

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
    public boolean isLibrary(String path, long start) {
        return start == this.start;
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
