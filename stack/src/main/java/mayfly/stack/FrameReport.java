package mayfly.stack;

import mayfly.arch.Architecture;
import mayfly.process.Registers;
import mayfly.profile.Frame;
import org.jspecify.annotations.Nullable;

/**
 * What a walk says of one frame. It is used again for the next: asked after its call, it throws
 * {@link IllegalStateException}.
 */
public final class FrameReport {
    /** In {@link #nativeFrames}: there are some, and nobody knows how many. */
    public static final int UNKNOWN = -1;

    private final Registers registers;
    private @Nullable Frame frame;
    private int nativeFrames;
    private boolean valid;

    FrameReport(Architecture architecture) {
        registers = new Registers(architecture);
    }

    void begin(@Nullable Frame reported, int count, Registers context) {
        frame = reported;
        nativeFrames = count;
        registers.copyFrom(context);
        valid = true;
    }

    void end() {
        valid = false;
    }

    /** The frame, which may be kept; null for a run of native frames that is left as a hole. */
    public @Nullable Frame frame() {
        requireValid();
        return frame;
    }

    /** Whether this stands for a run of native frames. */
    public boolean isHole() {
        return frame() == null;
    }

    /**
     * How many native frames the hole stands for, generated stubs among them included; {@link #UNKNOWN} where they
     * could not be walked. 0 for a frame.
     */
    public int nativeFrames() {
        requireValid();
        return nativeFrames;
    }

    /**
     * The registers as they were in this frame, as far as they are known; of a hole, those of its leaf-most frame. The
     * program counter of a frame other than the leaf is where its callee returns to. Inlined methods have those of the
     * method that they are inlined into. A copy of the caller's own.
     */
    public Registers registers() {
        requireValid();
        return registers.copy();
    }

    private void requireValid() {
        if (!valid) {
            throw new IllegalStateException("a frame report is valid only during its call");
        }
    }
}
