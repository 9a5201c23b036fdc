package mayfly.stack;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import mayfly.process.Registers;
import mayfly.profile.Frame;
import mayfly.runtime.FrameSink;
import mayfly.unwind.Symbolizer;
import mayfly.unwind.Walker;
import org.jspecify.annotations.Nullable;

/**
 * Turns the frames of one walk into reports to a callback.
 *
 * <p>Native frames before the first managed one are held back: only when that has been found, or the walk is over, is
 * it certain that the walk is not begun anew from somewhere else.
 */
final class FrameReports<T extends @Nullable Object> implements FrameSink {

    /** Names of native frames, kept from walk to walk. */
    static final class Names {
        private static final int MOST = 1 << 16;

        private final Symbolizer symbolizer;
        private final Map<Frame.Native, Frame.Native> named = new HashMap<>();

        Names(Symbolizer symbolizer) {
            this.symbolizer = symbolizer;
        }

        Frame of(Frame frame) {
            if (!(frame instanceof Frame.Native nativeFrame)) {
                return frame;
            }
            if (named.size() > MOST) {
                named.clear();
            }
            return named.computeIfAbsent(nativeFrame, symbolizer::named);
        }
    }

    private record Held(Frame frame, Registers registers) {
    }

    private final WalkRequest request;
    private final FrameCallback<? super T> callback;
    private final T data;
    private final Walker walker;
    private final Names names;
    private final FrameReport report = new FrameReport();
    /** Those of the frame that is being reported by the walker. */
    private final Registers current = new Registers();
    private final ArrayDeque<Held> held = new ArrayDeque<>();
    private final Registers holeRegisters = new Registers();
    private int holeFrames;
    /** Stubs that belong to a hole if a native frame is in it too. */
    private int holeStubs;
    private boolean managed;
    private boolean aborted;

    FrameReports(WalkRequest request, FrameCallback<? super T> callback, T data, Walker walker, Names names) {
        this.request = request;
        this.callback = callback;
        this.data = data;
        this.walker = walker;
        this.names = names;
    }

    /** To be given to {@link Walker#keepRegisters}. */
    Registers current() {
        return current;
    }

    /** Forgets what was held back: the walk begins anew. */
    void beginAnew() {
        held.clear();
    }

    boolean isAborted() {
        return aborted;
    }

    /** Whether a managed frame has been reported. */
    boolean hasManaged() {
        return managed;
    }

    @Override
    public void accept(Frame frame) {
        if (aborted) {
            return;
        }
        if (frame instanceof Frame.Managed) {
            managed = true;
        }
        if (!managed) {
            Registers registers = new Registers();
            registers.copyFrom(current);
            held.add(new Held(frame, registers));
            return;
        }
        release();
        pass(frame, current);
    }

    /** Native frames that could not be walked lie between what was held back and what follows. */
    void skipped(Registers at) {
        int known = release();
        if (request.holes()) {
            holeFrames = FrameReport.UNKNOWN;
            if (known == 0) {
                holeRegisters.copyFrom(at);
            }
        } else {
            report(null, FrameReport.UNKNOWN, at);
        }
    }

    /** The walk is over. */
    void end() {
        release();
        fillHole();
    }

    private int release() {
        int released = 0;
        for (Held next = held.poll(); next != null; next = held.poll()) {
            pass(next.frame(), next.registers());
            released++;
        }
        return released;
    }

    private void pass(Frame frame, Registers registers) {
        if (aborted || frame instanceof Frame.Managed managed && !request.hidden() && HiddenFrames.isHidden(managed)) {
            return;
        }
        if (!request.holes()) {
            report(names.of(frame), 0, registers);
        } else if (frame instanceof Frame.Managed) {
            fillHole();
            report(frame, 0, registers);
        } else {
            widenHole(frame, registers);
        }
    }

    private void widenHole(Frame frame, Registers registers) {
        if (holeFrames == 0 && holeStubs == 0) {
            holeRegisters.copyFrom(registers);
        }
        if (frame instanceof Frame.Stub) {
            holeStubs++;
        } else if (holeFrames != FrameReport.UNKNOWN) {
            holeFrames++;
        }
    }

    /** A run of stubs alone is no hole: managed code calls managed code through them. */
    private void fillHole() {
        if (holeFrames != 0) {
            report(null, holeFrames < 0 ? FrameReport.UNKNOWN : holeFrames + holeStubs, holeRegisters);
        }
        holeFrames = 0;
        holeStubs = 0;
    }

    private void report(@Nullable Frame frame, int nativeFrames, Registers registers) {
        if (aborted) {
            return;
        }
        report.begin(frame, nativeFrames, registers);
        try {
            if (callback.frame(report, data) == FrameCallback.Action.ABORT) {
                aborted = true;
                walker.endWalk();
            }
        } finally {
            report.end();
        }
    }
}
