package mayfly.hotspot.code;

import mayfly.profile.Frame;
import mayfly.profile.RuntimeId;
import org.jspecify.annotations.Nullable;

/** A snapshot of one Java method: its names, the location of its bytecodes, its lines. */
public final class Method {
    private static final String LANGUAGE = "java";

    final long address;
    final long constMethod;
    final long constants;
    public final long codeBegin;
    public final int codeSize;
    public final boolean isNative;
    final String className;
    final String name;
    final String descriptor;
    final String file;
    private final LineTable lines;
    /** A hash table by bytecode index and tier, with open addressing, at most half full. */
    private Frame.@Nullable Managed[] frames = new Frame.Managed[2];

    private int frameCount;
    /** The last epoch in which the VM's structures were confirmed to be unchanged. */
    long confirmedEpoch;

    Method(
            long address,
            long constMethod,
            long constants,
            long codeBegin,
            int codeSize,
            boolean isNative,
            String className,
            String name,
            String descriptor,
            String file,
            LineTable lines) {
        this.address = address;
        this.constMethod = constMethod;
        this.constants = constants;
        this.codeBegin = codeBegin;
        this.codeSize = codeSize;
        this.isNative = isNative;
        this.className = className;
        this.name = name;
        this.descriptor = descriptor;
        this.file = file;
        this.lines = lines;
    }

    /**
     * Returns the frame of this method at a bytecode index, which is -1 if it is not known. Equal arguments give the
     * same object.
     */
    public Frame.Managed frame(RuntimeId runtime, Tier tier, int bci) {
        return frame(runtime, tier, bci, Frame.Certainty.CERTAIN);
    }

    /** Returns the frame of this method at a bytecode index, which is -1 if it is not known, with a certainty. */
    public Frame.Managed frame(RuntimeId runtime, Tier tier, int bci, Frame.Certainty certainty) {
        int known = bci >= 0 && bci < Math.max(codeSize, 1) && !isNative ? bci : -1;
        for (int slot = slot(known, tier); ; slot++) {
            Frame.Managed frame = frames[slot & frames.length - 1];
            if (frame == null) {
                return add(
                        new Frame.Managed(
                                runtime,
                                LANGUAGE,
                                tier.kind,
                                tier.word,
                                className,
                                name,
                                descriptor,
                                known,
                                known < 0 ? -1 : lines.line(known),
                                file,
                                certainty),
                        tier);
            }
            if (frame.position() == known && tier.isOf(frame) && frame.certainty() == certainty) {
                return frame;
            }
        }
    }

    private Frame.Managed add(Frame.Managed frame, Tier tier) {
        if (++frameCount * 2 > frames.length) {
            Frame.@Nullable Managed[] old = frames;
            frames = new Frame.Managed[old.length * 2];
            for (Frame.Managed known : old) {
                if (known != null) {
                    place(known, Tier.of(known));
                }
            }
        }
        place(frame, tier);
        return frame;
    }

    private void place(Frame.Managed frame, Tier tier) {
        int slot = slot(frame.position(), tier);
        while (frames[slot & frames.length - 1] != null) {
            slot++;
        }
        frames[slot & frames.length - 1] = frame;
    }

    /**
     * Returns a hash. The multiplication spreads the bytecode indices of return addresses, which are only a few bytes
     * apart.
     */
    private static int slot(int bci, Tier tier) {
        return (bci * 8 + tier.ordinal()) * 0x9E3779B9 >>> 12;
    }
}
