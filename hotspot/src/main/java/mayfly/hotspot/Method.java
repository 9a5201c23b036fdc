package mayfly.hotspot;

import java.util.HashMap;
import java.util.Map;
import mayfly.profile.Frame;
import mayfly.profile.RuntimeId;

/** One Java method as the VM had it when it was read: its names, its bytecodes' place, its lines. */
final class Method {
    final long address;
    final long constMethod;
    final long constants;
    final long codeBegin;
    final int codeSize;
    final boolean isNative;
    final String className;
    final String name;
    final String descriptor;
    private final LineTable lines;
    private final Map<Integer, Frame.Java> frames = new HashMap<>(4);
    /** The epoch in which the VM's structures were last seen to be the same. */
    long confirmedEpoch;

    Method(long address, long constMethod, long constants, long codeBegin, int codeSize, boolean isNative,
           String className, String name, String descriptor, LineTable lines) {
        this.address = address;
        this.constMethod = constMethod;
        this.constants = constants;
        this.codeBegin = codeBegin;
        this.codeSize = codeSize;
        this.isNative = isNative;
        this.className = className;
        this.name = name;
        this.descriptor = descriptor;
        this.lines = lines;
    }

    /** The frame of this method at a bytecode index, -1 if that is not known. The same object each time. */
    Frame.Java frame(RuntimeId runtime, Frame.Tier tier, int bci) {
        int known = bci >= 0 && bci < Math.max(codeSize, 1) && !isNative ? bci : -1;
        return frames.computeIfAbsent(known << 3 | tier.ordinal(), k -> new Frame.Java(runtime, tier, className, name,
                descriptor, known, known < 0 ? -1 : lines.line(known)));
    }
}
