package mayfly.report;

import java.io.IOException;
import java.io.OutputStream;
import mayfly.profile.Detail;
import mayfly.profile.Profile;
import mayfly.profile.capture.Captures;
import mayfly.report.collapsed.Collapsed;
import mayfly.report.flamegraph.FlameGraph;
import mayfly.report.pprof.Pprof;
import mayfly.report.speedscope.Speedscope;
import mayfly.report.text.TextReport;
import mayfly.report.tree.CallTree;
import mayfly.report.tree.ConversionOptions;

/** Writes a profile in an output format. The stream is flushed, not closed. */
public final class Conversion {
    /** Returns the level of detail of the samples that a format needs. */
    public static Detail detail(Format format) {
        return switch (format) {
            case COLLAPSED, FLAMEGRAPH, PPROF, TEXT -> Detail.SUMS;
            case SPEEDSCOPE -> Detail.IN_ORDER_IF_FEW;
            case CAPTURE -> Detail.EVERY_SAMPLE;
        };
    }

    /**
     * Writes a profile that was read with the level of {@link #detail} or a higher one. {@link Format#CAPTURE} writes
     * the whole profile, regardless of the options.
     *
     * @throws IllegalArgumentException if the format is a capture and the samples of the profile are combined
     * @throws IOException if the stream cannot be written
     */
    public static void write(Profile profile, Format format, ConversionOptions options, OutputStream out)
            throws IOException {
        switch (format) {
            case COLLAPSED -> Collapsed.write(CallTree.of(profile, options), profile, out);
            case FLAMEGRAPH -> FlameGraph.write(CallTree.of(profile, options), profile, out);
            case PPROF -> Pprof.write(profile.summed(true), options, out);
            case SPEEDSCOPE -> Speedscope.write(profile, options, out);
            case TEXT -> TextReport.write(CallTree.of(profile, options), profile, out);
            case CAPTURE -> Captures.write(profile, out);
        }
        out.flush();
    }

    private Conversion() {}
}
