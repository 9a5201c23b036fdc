package mayfly.corpus.python;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.profile.Frame;
import mayfly.profile.RuntimeId;
import mayfly.runtime.AddressRange;
import mayfly.runtime.FrameCursor;
import mayfly.runtime.FrameSink;
import mayfly.runtime.ManagedRuntime;
import mayfly.runtime.RuntimeModule;
import mayfly.runtime.thread.ManagedThread;
import mayfly.runtime.thread.ManagedThreadInfo;
import mayfly.runtime.thread.ManagedThreadState;
import mayfly.runtime.thread.Unread;
import org.jspecify.annotations.Nullable;

/**
 * CPython 3.11. Each call of its evaluator, {@code _PyEval_EvalFrameDefault}, keeps a {@code _PyCFrame} in its native
 * frame, which points to the innermost Python frame of the call. The outermost Python frame is marked as the entry of
 * the call.
 *
 * <p>The compiler may move rarely executed parts of the evaluator out of the function. In a stripped file, no symbol
 * identifies them, so that a frame in these parts remains a native frame.
 */
final class CPython implements ManagedRuntime {
    static final String KIND = "CPython";
    static final String UNREADABLE = "Python frames that cannot be read";
    static final String INCONSISTENT = "Python frames that contradict themselves";
    /** Upper bound on the Python frames of one call of the evaluator. */
    private static final int MAX_FRAMES = 1 << 16;

    private final RuntimeId id;
    private final String version;
    private final RuntimeModule module;
    private final AddressRange evaluator;
    private final Layout layout;
    private final Interpreters interpreters;
    private final ObjectReader objects;
    private final Memory memory;
    private final Map<Long, Code> codes = new HashMap<>();
    private final Map<String, Long> rare = new TreeMap<>();
    private @Nullable TreeSet<Long> calls;

    CPython(
            RuntimeId id,
            String version,
            RuntimeModule module,
            AddressRange evaluator,
            Interpreters interpreters,
            ObjectReader objects) {
        this.id = id;
        this.version = version;
        this.module = module;
        this.evaluator = evaluator;
        this.interpreters = interpreters;
        this.objects = objects;
        this.layout = objects.layout();
        this.memory = objects.memory();
    }

    @Override
    public RuntimeId id() {
        return id;
    }

    @Override
    public String kind() {
        return KIND;
    }

    @Override
    public String version() {
        return version;
    }

    @Override
    public long libraryStart() {
        return module.start();
    }

    @Override
    public boolean isLibrary(String path, long start) {
        return start == module.start();
    }

    @Override
    public List<AddressRange> interposedCode() {
        return List.of(evaluator);
    }

    @Override
    public boolean interpose(FrameCursor cursor, long frameEnd, FrameSink sink) {
        try {
            Long call = calls().ceiling(cursor.registers().sp());
            if (call == null || call >= frameEnd) {
                return false;
            }
            frames(cursor.stackWord(call + layout.callFrame())).forEach(sink::accept);
            return true;
        } catch (MemoryFault e) {
            rare.merge(UNREADABLE, 1L, Long::sum);
        } catch (BadPython e) {
            rare.merge(INCONSISTENT, 1L, Long::sum);
        }
        return false;
    }

    private TreeSet<Long> calls() throws MemoryFault {
        TreeSet<Long> known = calls;
        if (known == null) {
            known = interpreters.calls();
            calls = known;
        }
        return known;
    }

    /** Returns a frame and its callers up to the entry of the call. Throws if one of them cannot be read. */
    private List<Frame> frames(long innermost) throws MemoryFault, BadPython {
        List<Frame> frames = new ArrayList<>();
        byte[] bytes = new byte[layout.frameSize()];
        ByteBuffer frame = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        for (long address = innermost; frames.size() < MAX_FRAMES; address = frame.getLong(layout.caller())) {
            memory.read(address, bytes, 0, bytes.length);
            frames.add(frame(frame.getLong(layout.code()), frame.getLong(layout.instruction())));
            if (frame.get(layout.isEntry()) != 0) {
                return frames;
            }
        }
        throw new BadPython("a call without an entry");
    }

    private Frame frame(long address, long instruction) throws MemoryFault, BadPython {
        Code code = codes.get(address);
        if (code == null) {
            code = objects.code(address);
            codes.put(address, code);
        }
        long offset = instruction - address - layout.bytecode();
        int position = offset < 0 || offset > Integer.MAX_VALUE ? -1 : (int) offset;
        return new Frame.Managed(
                id,
                "python",
                Frame.Managed.INTERPRETED,
                "",
                "",
                code.name(),
                "",
                position,
                code.line(offset),
                code.file());
    }

    @Override
    public void newEpoch(long nowNanos) {
        codes.clear();
        calls = null;
    }

    @Override
    public List<ManagedThread> threads() throws MemoryFault {
        return interpreters.threads();
    }

    @Override
    public ManagedThreadInfo info(ManagedThread thread) {
        return ManagedThreadInfo.unread(ManagedThreadState.UNKNOWN, Unread.NOT_DESCRIBED);
    }

    @Override
    public Map<String, Long> rareEvents() {
        return Map.copyOf(rare);
    }
}
