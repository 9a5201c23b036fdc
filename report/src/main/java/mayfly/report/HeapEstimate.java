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
    /** A frame and its entry in the list of frames. */
    private static final long FRAME = 60;
    /** The stack of an id in the file. */
    private static final long STACK_ID = 4;
    /** Parent, frame and depth of a stack during reading, and its share of a hash table that grows. */
    private static final long STACK_READ = 12 + 18;
    /** Parent and frame of a stack after reading. */
    private static final long STACK = 8;
    /** Thread, stack, outcome, value and count of a sum during reading, and its share of a hash table that grows. */
    private static final long SUM_READ = 26 + 24;
    /** A sum after reading, without the hash table. */
    private static final long SUM = 26;
    /** A sample kept with its time. */
    private static final long SAMPLE = 26 + 4;
    /** Parent, frame and depth of a stack under its id in the file. */
    private static final long EVERY_STACK = 12;
    /** A measure after the first one. */
    private static final long FURTHER = 8;
    /** The entry of a string in the table of a capture that is written. */
    private static final long WORD = 80;
    /** The sum and the node of a stack while the tree is built. */
    private static final long STACK_IN_TREE = 12;
    /**
     * Parent, name, weights and kind of a tree node, and its share of a hash table that grows; later its position in
     * the order.
     */
    private static final long NODE = 42;
    /** A frame's name, or the object that a format creates for a frame. */
    private static final long NAME = 220;
    /** Factor for free memory, so that the garbage collector does not run too often. */
    private static final double SLACK = 1.2;

    /**
     * Returns the heap size in bytes. It is larger than the memory of any machine for a capture with implausible
     * counts. For the output format {@link Format#CAPTURE} it is that of a capture with a single event; a capture of
     * all events is a copy and needs no estimate.
     *
     * @param capture the counts of the capture
     * @param format the output format
     * @param options the options of the conversion
     */
    public static long bytes(CaptureSummary capture, Format format, ConversionOptions options) {
        double names = capture.stringBytes() + STRING * capture.strings() + FRAME * capture.frames();
        if (format == Format.CAPTURE) {
            double samples = (SAMPLE + FURTHER * further(capture)) * (double) capture.samples();
            return (long)
                    ((FIXED + names + WORD * capture.strings() + EVERY_STACK * (double) capture.stacks() + samples)
                            * SLACK);
        }
        double each =
                format == Format.SPEEDSCOPE ? SAMPLE * (double) Math.min(capture.samples(), Detail.FEW_SAMPLES) : 0;
        double reading = names
                + each
                + STACK_ID * Math.min(capture.stacks(), 2.0 * capture.reach())
                + STACK_READ * (double) capture.distinctStacks()
                + SUM_READ * (double) capture.distinctSamples();
        double writing = names
                + each
                + NAME * capture.frames()
                + STACK * (double) capture.distinctStacks()
                + SUM * (double) capture.distinctSamples()
                + switch (format) {
                    case PPROF, SPEEDSCOPE, CAPTURE -> 0;
                    case COLLAPSED, FLAMEGRAPH, TEXT ->
                        STACK_IN_TREE * (double) capture.distinctStacks() + NODE * nodes(capture, options);
                };
        return (long) ((FIXED + Math.max(reading, writing)) * SLACK);
    }

    /** Returns the largest number of measures after the first one in any event. */
    private static int further(CaptureSummary capture) {
        return capture.recording().events().stream()
                .mapToInt(event -> event.measures().size() - 1)
                .max()
                .orElse(0);
    }

    /**
     * Returns the number of tree nodes. If threads are shown, the tree has a separate part with the stacks of each
     * thread.
     */
    private static double nodes(CaptureSummary capture, ConversionOptions options) {
        double parts = options.threads() && capture.sampledStacks() > 0
                ? (double) capture.distinctSamples() / capture.sampledStacks()
                : 1;
        return capture.distinctStacks() * Math.clamp(parts, 1, Math.max(1, capture.threads()));
    }

    private HeapEstimate() {}
}
