package mayfly.stack;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import mayfly.arch.Architecture;
import mayfly.process.Registers;
import mayfly.profile.Frame;
import mayfly.runtime.thread.FrameMonitor;
import mayfly.stack.lock.MonitorReading;
import mayfly.unwind.StackVisitor;
import mayfly.unwind.Symbolizer;
import mayfly.unwind.WalkResult;
import org.jspecify.annotations.Nullable;

/**
 * Passes the frames of one walk to a callback as reports.
 *
 * <p>Native frames before the first managed one are held back: the walk may be restarted from another place until a
 * managed frame has been found or the walk is over.
 */
final class FrameReports<T extends @Nullable Object> implements StackVisitor {

    /** Names of native frames, cached across walks. */
    static final class Names {
        private static final int MAX_FRAMES = 1 << 16;

        private final Symbolizer symbolizer;
        private final Map<Frame.Native, Frame.Native> named = new HashMap<>();

        Names(Symbolizer symbolizer) {
            this.symbolizer = symbolizer;
        }

        Frame of(Frame frame) {
            if (!(frame instanceof Frame.Native nativeFrame)) {
                return frame;
            }
            if (named.size() > MAX_FRAMES) {
                named.clear();
            }
            return named.computeIfAbsent(nativeFrame, symbolizer::named);
        }
    }

    private record Held(Frame frame, Registers registers) {}

    private final WalkRequest request;
    private final FrameCallback<? super T> callback;
    private final T data;
    private final Names names;
    private final MonitorReading reading;
    private final FrameReport report;
    /** The registers of the frame that the walker is reporting. */
    private final Registers current;

    private final ArrayDeque<Held> held = new ArrayDeque<>();
    private final Registers holeRegisters;
    private int holeFrames;
    /** The number of stubs that belong to a hole if it also contains a native frame. */
    private int holeStubs;

    /** The monitors of the physical frame that the walker is reporting. */
    private List<FrameMonitor> monitors = List.of();
    /** The number of methods of that frame reported so far. */
    private int scope;

    private boolean managed;
    private boolean aborted;

    FrameReports(
            WalkRequest request,
            FrameCallback<? super T> callback,
            T data,
            Names names,
            MonitorReading reading,
            Architecture architecture) {
        this.report = new FrameReport(architecture);
        this.current = new Registers(architecture);
        this.holeRegisters = new Registers(architecture);
        this.request = request;
        this.callback = callback;
        this.data = data;
        this.names = names;
        this.reading = reading;
    }

    /** Discards the frames held back, because the walk starts again. */
    void beginAnew() {
        held.clear();
    }

    boolean isAborted() {
        return aborted;
    }

    /** Returns true if a managed frame has been reported. */
    boolean hasManaged() {
        return managed;
    }

    @Override
    public boolean enter(WalkResult walk) {
        current.copyFrom(walk.registers());
        monitors = reading.at(walk);
        scope = 0;
        return !aborted;
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
            held.add(new Held(frame, current.copy()));
            return;
        }
        release();
        pass(frame, current, frame instanceof Frame.Managed ? monitorsOf(scope++) : List.of());
    }

    private List<FrameMonitor> monitorsOf(int method) {
        return monitors.isEmpty()
                ? monitors
                : monitors.stream().filter(each -> each.scope() == method).toList();
    }

    /** Records that native frames which could not be walked lie between the frames held back and the next ones. */
    void skipped(Registers at) {
        int known = release();
        if (request.holes()) {
            holeFrames = FrameReport.UNKNOWN;
            if (known == 0) {
                holeRegisters.copyFrom(at);
            }
        } else {
            report(null, FrameReport.UNKNOWN, at, List.of());
        }
    }

    /** Ends the reports after the walk. */
    void end() {
        release();
        fillHole();
    }

    private int release() {
        int released = 0;
        for (Held next = held.poll(); next != null; next = held.poll()) {
            pass(next.frame(), next.registers(), List.of());
            released++;
        }
        return released;
    }

    private void pass(Frame frame, Registers registers, List<FrameMonitor> entered) {
        if (aborted || frame instanceof Frame.Managed managed && !request.hidden() && HiddenMethods.isHidden(managed)) {
            return;
        }
        if (!request.holes()) {
            report(names.of(frame), 0, registers, entered);
        } else if (frame instanceof Frame.Managed) {
            fillHole();
            report(frame, 0, registers, entered);
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

    /** Completes a hole. A run of stubs alone is not a hole, because managed code calls managed code through stubs. */
    private void fillHole() {
        if (holeFrames != 0) {
            report(null, holeFrames < 0 ? FrameReport.UNKNOWN : holeFrames + holeStubs, holeRegisters, List.of());
        }
        holeFrames = 0;
        holeStubs = 0;
    }

    private void report(@Nullable Frame frame, int nativeFrames, Registers registers, List<FrameMonitor> entered) {
        if (aborted) {
            return;
        }
        report.begin(frame, nativeFrames, registers, entered);
        try {
            if (callback.frame(report, data) == FrameCallback.Action.ABORT) {
                aborted = true;
            }
        } finally {
            report.end();
        }
    }
}
