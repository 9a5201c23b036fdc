package mayfly.report;

import mayfly.profile.CaptureSummary;
import mayfly.profile.Detail;

/**
 * How much heap it takes to read a capture and write it in a format, by what the capture has. The figures are bytes,
 * counted from the columns and objects that reading and writing keep, and checked by {@code testing/bench/run render},
 * which renders with this heap and no more.
 */
public final class HeapEstimate {
    /** What is there however small the capture is, buffers and the page's own text included. */
    private static final long FIXED = 14 << 20;
    /** A string with its object and its array, besides its characters. */
    private static final long STRING = 56;
    /** A frame as it is read. */
    private static final long FRAME = 56;
    /** The stack that an id in the file stands for. */
    private static final long STACK_ID = 4;
    /** Parent, frame, depth, and a hash table of them while it grows. */
    private static final long STACK_READ = 12 + 18;
    /** Parent and frame. */
    private static final long STACK = 8;
    /** Thread, stack, outcome, value and count, and a hash table of them while it grows. */
    private static final long SUM_READ = 26 + 24;
    /** The same without the table. */
    private static final long SUM = 26;
    /** A sample that is kept with its time. */
    private static final long SAMPLE = 26 + 4;
    /** The sum and the node of a stack while the tree is built. */
    private static final long STACK_IN_TREE = 12;
    /** Parent, name, weights, kind, and a hash table of them while it grows; later its place in the order. */
    private static final long NODE = 42;
    /** A frame's name, or what a format makes of a frame. */
    private static final long NAME = 220;
    /** The collector's room: it works more and more often the less there is. */
    private static final double SLACK = 1.2;

    /**
     * The heap in bytes. More than any machine has, for a capture that claims so much.
     *
     * @param capture the counts of the capture
     * @param format what it is written as
     * @param options what is shown
     */
    public static long bytes(CaptureSummary capture, Format format, ConversionOptions options) {
        if (format == Format.CAPTURE) {
            return FIXED; // copied as it is
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

    /** The tree has a part for each thread if threads are asked for, with the stacks that the thread has. */
    private static double nodes(CaptureSummary capture, ConversionOptions options) {
        double parts = options.threads() && capture.sampledStacks() > 0
                ? (double) capture.distinctSamples() / capture.sampledStacks() : 1;
        return capture.distinctStacks() * Math.clamp(parts, 1, Math.max(1, capture.threads()));
    }

    private HeapEstimate() {}
}
