package mayfly.stack;

import java.util.List;
import mayfly.arch.Architecture;
import mayfly.process.Registers;
import mayfly.profile.Frame;
import mayfly.runtime.thread.FrameMonitor;
import org.jspecify.annotations.Nullable;

/**
 * The information of a walk about one frame. The object is reused for the next frame; its methods throw
 * {@link IllegalStateException} after the callback has returned.
 */
public final class FrameReport {
    /** The value of {@link #nativeFrames} for an unknown number of frames. */
    public static final int UNKNOWN = -1;

    private final Registers registers;
    private @Nullable Frame frame;
    private int nativeFrames;
    private List<FrameMonitor> monitors = List.of();
    private boolean valid;

    FrameReport(Architecture architecture) {
        registers = new Registers(architecture);
    }

    void begin(@Nullable Frame reported, int count, Registers context, List<FrameMonitor> entered) {
        frame = reported;
        monitors = entered;
        nativeFrames = count;
        registers.copyFrom(context);
        valid = true;
    }

    void end() {
        valid = false;
    }

    /**
     * Returns the frame, which may be retained; null for a run of native frames replaced by a hole.
     *
     * @throws IllegalStateException after the callback has returned
     */
    public @Nullable Frame frame() {
        requireValid();
        return frame;
    }

    /**
     * Returns true if this represents a run of native frames.
     *
     * @throws IllegalStateException after the callback has returned
     */
    public boolean isHole() {
        return frame() == null;
    }

    /**
     * Returns the number of native frames in the hole, including generated stubs; {@link #UNKNOWN} if they could not
     * be walked. 0 for a frame.
     *
     * @throws IllegalStateException after the callback has returned
     */
    public int nativeFrames() {
        requireValid();
        return nativeFrames;
    }

    /**
     * Returns the known registers of this frame; for a hole, those of its leaf-most frame. The program counter of a
     * frame other than the leaf is the return address of its callee. Inlined methods have the registers of the method
     * that they are inlined into. The result is a copy that the caller owns.
     *
     * @throws IllegalStateException after the callback has returned
     */
    public Registers registers() {
        requireValid();
        return registers.copy();
    }

    /**
     * Returns the monitors that the method has entered, the last one first; empty if the walk does not read them.
     *
     * @throws IllegalStateException after the callback has returned
     */
    List<FrameMonitor> monitors() {
        requireValid();
        return monitors;
    }

    private void requireValid() {
        if (!valid) {
            throw new IllegalStateException("a frame report is valid only during its call");
        }
    }
}
