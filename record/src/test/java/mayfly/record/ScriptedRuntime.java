package mayfly.record;

import java.util.List;
import mayfly.process.MemoryFault;
import mayfly.profile.Frame;
import mayfly.profile.RuntimeId;
import mayfly.runtime.FrameCursor;
import mayfly.runtime.FrameSink;
import mayfly.runtime.ManagedRuntime;
import mayfly.runtime.Step;
import mayfly.runtime.thread.ManagedThread;
import mayfly.runtime.thread.ManagedThreadInfo;
import mayfly.runtime.thread.ManagedThreadState;
import mayfly.runtime.thread.Unread;

/** A runtime in which each thread has the stack {@code leaf}, {@code root}. */
final class ScriptedRuntime implements ManagedRuntime {
    static final long LEAF_PC = 0x1000;
    static final long ROOT_PC = 0x2000;
    /** Like {@link #LEAF_PC}, but the frame of the root is larger than the copied stack. */
    static final long DEEP_LEAF_PC = 0x3000;
    /** The address of code that cannot be walked. */
    static final long STALE_PC = 0x4000;

    static final long FRAME_BYTES = 16;
    static final long DEEP_BYTES = 1 << 20;

    private final int number;
    long superseded;

    ScriptedRuntime(int number) {
        this.number = number;
    }

    @Override
    public RuntimeId id() {
        return new RuntimeId(number);
    }

    @Override
    public String kind() {
        return "Scripted";
    }

    @Override
    public String version() {
        return number + ".0";
    }

    @Override
    public long libraryStart() {
        return number * 0x10000L;
    }

    @Override
    public boolean owns(long pc) {
        return pc <= STALE_PC;
    }

    @Override
    public boolean isLibrary(String path, long start) {
        return false;
    }

    Frame frame(String method) {
        return new Frame.Managed(id(), "java", Frame.Managed.INTERPRETED, "", "Orders", method, "()V", 0, -1);
    }

    @Override
    public Step step(FrameCursor cursor, FrameSink sink) {
        long pc = cursor.registers().pc();
        if (pc == STALE_PC) {
            return Step.STALE_CODE;
        }
        if (pc == ROOT_PC || pc == ROOT_PC + 1) {
            sink.accept(frame("root"));
            return Step.ROOT;
        }
        sink.accept(frame("leaf"));
        long caller = cursor.registers().sp() + (pc == DEEP_LEAF_PC ? DEEP_BYTES : FRAME_BYTES);
        try {
            cursor.stackWord(caller - 8);
        } catch (MemoryFault e) {
            return Step.STACK_UNREADABLE;
        }
        cursor.moveTo(ROOT_PC + 1, caller);
        return Step.CALLER;
    }

    @Override
    public List<ManagedThread> threads() {
        return List.of();
    }

    @Override
    public ManagedThreadInfo info(ManagedThread thread) {
        return ManagedThreadInfo.unread(ManagedThreadState.UNKNOWN, Unread.NOT_DESCRIBED);
    }

    @Override
    public long supersededCode() {
        return superseded;
    }
}
