package mayfly.attach.client;

import java.util.List;
import mayfly.profile.RuntimeId;
import mayfly.runtime.AddressRange;
import mayfly.runtime.ManagedRuntime;
import mayfly.runtime.ModuleSymbols;
import mayfly.runtime.RuntimeModule;
import mayfly.runtime.thread.ManagedThread;
import mayfly.runtime.thread.ManagedThreadInfo;
import org.jspecify.annotations.Nullable;

/** A runtime with an id, a version and a library. */
class StubRuntime implements ManagedRuntime, RuntimeModule {
    private final int number;
    private final String version;

    StubRuntime(int number, String version) {
        this.number = number;
        this.version = version;
    }

    @Override
    public RuntimeId id() {
        return new RuntimeId(number);
    }

    @Override
    public String kind() {
        return "Stub";
    }

    @Override
    public String version() {
        return version;
    }

    @Override
    public long libraryStart() {
        return start();
    }

    @Override
    public String name() {
        return "libstub.so";
    }

    @Override
    public String path() {
        return "/lib/" + name();
    }

    @Override
    public long start() {
        return number * 0x10000000L;
    }

    @Override
    public @Nullable ModuleSymbols symbols() {
        return null;
    }

    @Override
    public @Nullable AddressRange functionAt(long address) {
        return null;
    }

    @Override
    public String problem() {
        return "";
    }

    @Override
    public boolean isLibrary(String path, long start) {
        return start == start();
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
