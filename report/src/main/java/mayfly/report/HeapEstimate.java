package mayfly.report;

import mayfly.profile.Detail;
import mayfly.profile.capture.CaptureSummary;
import mayfly.report.tree.ConversionOptions;

/**
 * Estimates the heap needed to read a capture and write it in a format, from the counts of the capture. The figures
 * are bytes per item of the columns and objects kept during reading and writing. They are checked by
 * {@code testing/bench/run render}, which renders with a heap of exactly this size.
 */
public final class HeapEstimate {
    /** Bytes needed even for the smallest capture, including buffers and the text of the page. */
    private static final long FIXED = 14 << 20;
    /** A string with its object and array, excluding its characters. */
    private static final long STRING = 56;
    /** A frame as it is read, and its place in the list of them. */
    private static final long FRAME = 60;
    /** The stack that an id in the file stands for. */
    private static final long STACK_ID = 4;
    /** Parent, frame and depth, and a hash table of them while it grows. */
    private static final long STACK_READ = 12 + 18;
    /** Parent and frame. */
    private static final long STACK = 8;
    /** Thread, stack, outcome, value and count, and a hash table of them while it grows. */
    private static final long SUM_READ = 26 + 24;
    /** The same without the hash table. */
    private static final long SUM = 26;
    /** A sample kept with its time. */
    private static final long SAMPLE = 26 + 4;
    /** The sum and the node of a stack while the tree is built. */
    private static final long STACK_IN_TREE = 12;
    /** Parent, name, weights and kind, and a hash table of them while it grows; later its position in the order. */
    private static final long NODE = 42;
    /** A frame's name, or the object that a format creates for a frame. */
    private static final long NAME = 220;
    /** Factor for the garbage collector, which runs the more often the less room it has. */
    private static final double SLACK = 1.2;

    /**
     * Returns the heap size in bytes; for a capture with implausible counts, more than any machine has.
     *
     * @param capture the counts of the capture
     * @param format the output format
     * @param options the options of the conversion
     */
    public static long bytes(CaptureSummary capture, Format format, ConversionOptions options) {
        if (format == Format.CAPTURE) {
            return FIXED; // copied unchanged
        }
        double names = capture.stringBytes() + STRING * capture.strings() + FRAME * capture.frames();
        double each = format == Format.SPEEDSCOPE ? SAMPLE * (double) Math.min(capture.samples(), Detail.FEW_SAMPLES) : 0;
        double reading = names + each + STACK_ID * Math.min(capture.stacks(), 2.0 * capture.reach())
                + STACK_READ * (double) capture.distinctStacks()
                + SUM_READ * (double) capture.distinctSamples();
        double writing = names + each + NAME * capture.frames() + STACK * (double) capture.distinctStacks()
                + SUM * (double) capture.distinctSamples() + switch (format) {
            case PPROF, SPEEDSCOPE, CAPTURE -> 0;
            case COLLAPSED, FLAMEGRAPH, TEXT -> STACK_IN_TREE * (double) capture.distinctStacks()
                    + NODE * nodes(capture, options);
        };
        return (long) ((FIXED + Math.max(reading, writing)) * SLACK);
    }

    /**
     * Returns the number of tree nodes. With threads, the tree has a part for each thread, with the stacks of that
     * thread.
     */
    private static double nodes(CaptureSummary capture, ConversionOptions options) {
        double parts = options.threads() && capture.sampledStacks() > 0
                ? (double) capture.distinctSamples() / capture.sampledStacks() : 1;
        return capture.distinctStacks() * Math.clamp(parts, 1, Math.max(1, capture.threads()));
    }

    private HeapEstimate() {}
}
