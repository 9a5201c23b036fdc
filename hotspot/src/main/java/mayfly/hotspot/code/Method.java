package mayfly.hotspot.code;

import mayfly.profile.Frame;
import mayfly.profile.RuntimeId;
import org.jspecify.annotations.Nullable;

/** A snapshot of one Java method: its names, the location of its bytecodes, its lines. */
public final class Method {
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
    /** The frames by bytecode index and tier. Open addressing, at most half full. */
    private Frame.@Nullable Java[] frames = new Frame.Java[2];
    private int frameCount;
    /** The last epoch in which the VM's structures were confirmed to be unchanged. */
    long confirmedEpoch;

    Method(long address, long constMethod, long constants, long codeBegin, int codeSize, boolean isNative,
           String className, String name, String descriptor, String file, LineTable lines) {
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

    /** Returns the frame of this method at a bytecode index, -1 if unknown. Returns the same object each time. */
    public Frame.Java frame(RuntimeId runtime, Frame.Tier tier, int bci) {
        return frame(runtime, tier, bci, Frame.Certainty.CERTAIN);
    }

    /** Returns the frame of this method at a bytecode index, with the given certainty. */
    public Frame.Java frame(RuntimeId runtime, Frame.Tier tier, int bci, Frame.Certainty certainty) {
        int known = bci >= 0 && bci < Math.max(codeSize, 1) && !isNative ? bci : -1;
        for (int slot = slot(known, tier); ; slot++) {
            Frame.Java frame = frames[slot & frames.length - 1];
            if (frame == null) {
                return add(new Frame.Java(runtime, tier, className, name, descriptor, known,
                        known < 0 ? -1 : lines.line(known), file, certainty));
            }
            if (frame.bci() == known && frame.tier() == tier && frame.certainty() == certainty) {
                return frame;
            }
        }
    }

    private Frame.Java add(Frame.Java frame) {
        if (++frameCount * 2 > frames.length) {
            Frame.@Nullable Java[] old = frames;
            frames = new Frame.Java[old.length * 2];
            for (Frame.Java known : old) {
                if (known != null) {
                    place(known);
                }
            }
        }
        place(frame);
        return frame;
    }

    private void place(Frame.Java frame) {
        int slot = slot(frame.bci(), frame.tier());
        while (frames[slot & frames.length - 1] != null) {
            slot++;
        }
        frames[slot & frames.length - 1] = frame;
    }

    /** Spreads the keys, because the bytecode indices that calls return to lie a few bytes apart. */
    private static int slot(int bci, Frame.Tier tier) {
        return (bci * 8 + tier.ordinal()) * 0x9E3779B9 >>> 12;
    }
}
