package mayfly.record;

import java.util.ArrayList;
import java.util.List;
import mayfly.linux.proc.KernelSymbols;
import mayfly.profile.CaptureWriteException;
import mayfly.profile.Frame;
import mayfly.profile.StackTable;
import mayfly.profile.capture.CaptureWriter;
import mayfly.unwind.NativeCode;
import mayfly.unwind.Symbolizer;

/**
 * Names each native frame of a recording once. New frames are named in short turns while the recording runs, so that a
 * capture without an end has nearly all names; the others are named at the end. Kernel frames have names from the
 * start, except those of a module that was loaded during the recording: for these, the kernel's symbols are read again
 * at the end.
 */
final class FrameSymbols {
    /** Interval between turns. */
    static final long INTERVAL_NANOS = 1_000_000_000L;
    /**
     * The interval while drains are urgent. A turn delays the next drain: naming the first frame of a library reads its
     * symbol table.
     */
    static final long MAX_INTERVAL_NANOS = 2 * INTERVAL_NANOS;
    /** Upper bound on the duration of a turn; at least one frame is named even if that takes longer. */
    private static final long TURN_NANOS = 5_000_000L;

    private final NativeCode code;
    /** The code of the former programs, to which more may be added. */
    private final List<NativeCode> formerCode;

    private final StackTable stacks;
    private final CaptureWriter writer;
    private final List<Symbolizer> symbolizers = new ArrayList<>();
    /** The id of the first frame that no turn has processed. */
    private int next;

    private long lastTurn;

    /** @param now the start of the recording, CLOCK_MONOTONIC in ns */
    FrameSymbols(NativeCode code, List<NativeCode> formerCode, StackTable stacks, CaptureWriter writer, long now) {
        this.code = code;
        this.formerCode = formerCode;
        this.stacks = stacks;
        this.writer = writer;
        this.lastTurn = now;
    }

    /**
     * Names new frames if a turn is due. If there are too many for one turn, the next turn is due at once.
     *
     * @param urgent true if the next drain should not wait
     * @param now CLOCK_MONOTONIC, ns
     */
    void turn(boolean urgent, long now) throws CaptureWriteException {
        if (now - lastTurn < (urgent ? MAX_INTERVAL_NANOS : INTERVAL_NANOS)) {
            return;
        }
        long start = System.nanoTime();
        do {
            nameNext();
        } while (next < stacks.frameCount() && System.nanoTime() - start < TURN_NANOS);
        if (next == stacks.frameCount()) {
            lastTurn = now;
        }
    }

    /**
     * Empties the table of frames if it is full, after naming all of its frames.
     *
     * @param kernel as for {@link #finish}
     */
    void makeRoom(KernelFrames kernel) throws CaptureWriteException {
        if (stacks.isFull()) {
            finish(kernel);
            stacks.forget();
        }
    }

    /** Names all frames in the table that have no name yet. */
    void finish(KernelFrames kernel) throws CaptureWriteException {
        while (next < stacks.frameCount()) {
            nameNext();
        }
        KernelFrames.LaterNames later = kernel.new LaterNames(KernelSymbols::read);
        for (int id = stacks.firstFrame(); id < stacks.frameCount(); id++) {
            if (stacks.frameAt(id) instanceof Frame.Kernel frame) {
                write(id, later.of(frame));
            }
        }
    }

    private void nameNext() throws CaptureWriteException {
        if (next == stacks.frameCount()) {
            return;
        }
        int id = next++;
        if (stacks.frameAt(id) instanceof Frame.Native frame) {
            write(id, symbol(frame));
        }
    }

    private void write(int id, String symbol) throws CaptureWriteException {
        if (!symbol.isEmpty()) {
            writer.symbol(id, symbol);
        }
    }

    private String symbol(Frame.Native frame) {
        if (symbolizers.isEmpty()) {
            symbolizers.add(new Symbolizer(code));
        }
        while (symbolizers.size() <= formerCode.size()) {
            symbolizers.add(new Symbolizer(formerCode.get(symbolizers.size() - 1)));
        }
        for (Symbolizer symbolizer : symbolizers) {
            String symbol = symbolizer.symbol(frame);
            if (!symbol.isEmpty()) {
                return symbol;
            }
        }
        return "";
    }
}
