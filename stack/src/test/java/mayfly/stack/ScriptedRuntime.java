package mayfly.stack;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import mayfly.process.Registers;
import mayfly.profile.Frame;
import mayfly.profile.RuntimeId;
import mayfly.runtime.FrameCursor;
import mayfly.runtime.FrameSink;
import mayfly.runtime.ManagedRuntime;
import mayfly.runtime.Step;
import mayfly.runtime.thread.FrameMonitor;
import mayfly.runtime.thread.LockOwner;
import mayfly.runtime.thread.LockWait;
import mayfly.runtime.thread.ManagedThread;
import mayfly.runtime.thread.ManagedThreadInfo;
import mayfly.runtime.thread.MonitorState;
import mayfly.runtime.thread.UnmountedThreads;
import mayfly.runtime.thread.Unread;
import org.jspecify.annotations.Nullable;

/** A runtime that owns all code of its process. A test scripts the frames at each program counter. */
public final class ScriptedRuntime implements ManagedRuntime {
    static final long FRAME_BYTES = 16;

    /** The frames at a program counter, and that of the caller, if the step leads to a caller. */
    private record Row(List<Frame> frames, Step step, long callerPc) {}

    private final int number;
    public final List<ManagedThread> threads = new ArrayList<>();
    /** The information about each thread by its handle: one for each query, of which the last one is repeated. */
    final Map<Long, List<ManagedThreadInfo>> infos = new HashMap<>();
    /** The place where each thread left managed code, by its handle. */
    final Map<Long, Registers> lastManagedFrames = new HashMap<>();

    /** The lock for which each thread waits, by its handle: one for each query, of which the last one is repeated. */
    public final Map<Long, List<LockWait>> waits = new HashMap<>();
    /** The owner of each lock, by its monitor. */
    public final Map<Long, LockOwner> owners = new HashMap<>();

    /** The monitors at each program counter. */
    final Map<Long, List<FrameMonitor>> monitors = new HashMap<>();
    /** The state of the monitors of each thread, by its handle: one for each query, of which the last is repeated. */
    final Map<Long, List<MonitorState>> monitorStates = new HashMap<>();

    /** The reading of unmounted threads; null if there have been none. */
    @Nullable
    UnmountedThreads unmounted;

    private final Map<Long, Row> rows = new HashMap<>();
    /** The number of queries for information about a thread. */
    int queries;

    public ScriptedRuntime(int number) {
        this.number = number;
    }

    static Frame.Managed java(String method) {
        return new Frame.Managed(new RuntimeId(1), "java", Frame.Managed.COMPILED, "C2", "Orders", method, "()V", 0, 7);
    }

    static Frame.Native inLibrary(String symbol) {
        return new Frame.Native("libc.so.6", symbol.hashCode() & 0xffff, symbol, false);
    }

    static Frame.Stub stub(String name) {
        return new Frame.Stub(new RuntimeId(1), name);
    }

    /** Adds the frames at a program counter, leaf first, with a caller. */
    ScriptedRuntime call(long pc, long callerPc, Frame... frames) {
        rows.put(pc, new Row(List.of(frames), Step.CALLER, callerPc));
        return this;
    }

    /** Adds the frames at a program counter where a walk ends. */
    ScriptedRuntime end(long pc, Step step, Frame... frames) {
        rows.put(pc, new Row(List.of(frames), step, 0));
        return this;
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
        return "1.0";
    }

    @Override
    public long libraryStart() {
        return 0x10000;
    }

    @Override
    public boolean owns(long pc) {
        return rows.containsKey(pc);
    }

    @Override
    public boolean isLibrary(String path, long start) {
        return false;
    }

    @Override
    public Step step(FrameCursor cursor, FrameSink sink) {
        Row row = rows.get(cursor.registers().pc());
        if (row == null) {
            return Step.UNKNOWN_CODE;
        }
        row.frames.forEach(sink::accept);
        if (row.step == Step.CALLER) {
            cursor.moveTo(row.callerPc, cursor.registers().sp() + FRAME_BYTES);
        }
        return row.step;
    }

    @Override
    public boolean lastManagedFrame(long handle, Registers into) {
        Registers last = lastManagedFrames.get(handle);
        if (last != null) {
            into.copyFrom(last);
        }
        return last != null;
    }

    @Override
    public List<ManagedThread> threads() {
        return List.copyOf(threads);
    }

    @Override
    public Optional<UnmountedThreads> unmountedThreads(long maxBytes) {
        return Optional.ofNullable(unmounted);
    }

    /** There are unmounted threads if a thread is named {@code carrier}. */
    @Override
    public boolean mayHaveUnmountedThreads(Function<ManagedThread, ManagedThreadInfo> infos) {
        return threads.stream()
                .anyMatch(thread -> "carrier".equals(infos.apply(thread).name()));
    }

    @Override
    public ManagedThreadInfo info(ManagedThread thread) {
        queries++;
        List<ManagedThreadInfo> left = infos.get(thread.handle());
        if (left == null || left.isEmpty()) {
            throw new IllegalArgumentException("no information about " + thread);
        }
        return left.size() == 1 ? left.getFirst() : left.removeFirst();
    }

    /** Makes a thread wait to enter the monitor of another thread: that with the handle of its owner. */
    public void blocks(long handle, long owner) {
        waits.put(handle, new ArrayList<>(List.of(enter(owner))));
        owners.put(owner, new LockOwner.OfThread(thread(owner)));
    }

    /** Returns a wait for the monitor at this address. */
    public static LockWait enter(long monitor) {
        return new LockWait(LockWait.Kind.ENTER, "Lock" + monitor, 16 * monitor, monitor, null);
    }

    private ManagedThread thread(long handle) {
        return threads.stream()
                .filter(thread -> thread.handle() == handle)
                .findFirst()
                .orElseThrow();
    }

    @Override
    public LockWait lockWait(ManagedThread thread) {
        List<LockWait> left = waits.getOrDefault(thread.handle(), List.of(LockWait.NONE));
        return left.size() == 1 ? left.getFirst() : left.removeFirst();
    }

    @Override
    public Map<ManagedThread, LockOwner> lockOwners(Map<ManagedThread, LockWait> of) {
        Map<ManagedThread, LockOwner> found = new HashMap<>();
        of.forEach((thread, lock) -> found.put(thread, owners.getOrDefault(lock.monitor(), LockOwner.UNKNOWN)));
        return found;
    }

    @Override
    public MonitorState monitorState(ManagedThread thread) {
        List<MonitorState> left =
                monitorStates.getOrDefault(thread.handle(), List.of(MonitorState.unread(Unread.MOVING)));
        return left.size() == 1 ? left.getFirst() : left.removeFirst();
    }

    /** Without a known state, each monitor is unread. */
    @Override
    public List<FrameMonitor> monitors(FrameCursor cursor, MonitorState state) {
        return monitors.getOrDefault(cursor.registers().pc(), List.of()).stream()
                .map(each -> state.unread() == null ? each : FrameMonitor.unread(each.scope(), state.unread()))
                .toList();
    }
}
