package mayfly.cli.output;

import java.time.Duration;
import java.util.Locale;
import mayfly.record.Progress;

/** Shows the progress of a recording in one line on a terminal. Prints nothing if stderr is not a terminal. */
public final class ProgressLine implements Progress, AutoCloseable {
    private static final long IDLE_NANOS = Duration.ofSeconds(3).toNanos();
    /** Carriage return, then erase to the end of the line. */
    static final String REDRAW = "\r\u001b[K";

    private final Terminal terminal;
    private final boolean shown;
    private final Duration duration;
    private long lastSamples;
    private long lastSampleNanos;
    private boolean drawn;

    /**
     * Creates the line.
     *
     * @param duration zero for a recording without a time limit
     */
    public ProgressLine(Terminal terminal, boolean quiet, Duration duration) {
        this.terminal = terminal;
        this.shown = !quiet && terminal.errCanRedraw();
        this.duration = duration;
    }

    @Override
    public void tick(long samples, long elapsedNanos, long lost) {
        if (samples != lastSamples) {
            lastSamples = samples;
            lastSampleNanos = elapsedNanos;
        }
        if (shown) {
            // A line that wraps cannot be erased by one REDRAW.
            terminal.err().print(REDRAW + Text.cut(line(samples, elapsedNanos, lost), terminal.columns() - 1));
            terminal.err().flush();
            drawn = true;
        }
    }

    String line(long samples, long elapsedNanos, long lost) {
        var line = new StringBuilder();
        line.append(Text.age(elapsedNanos));
        if (!duration.isZero()) {
            line.append(" of ").append(total());
        }
        line.append(", ").append(Text.count(samples)).append(samples == 1 ? " sample" : " samples");
        if (elapsedNanos > 0) {
            line.append(String.format(Locale.ROOT, ", %.0f a second", samples * 1e9 / elapsedNanos));
        }
        if (lost > 0) {
            line.append(", ").append(Text.count(lost)).append(" lost");
        }
        long silence = elapsedNanos - lastSampleNanos;
        if (silence >= IDLE_NANOS) {
            line.append("; idle: no CPU used for ").append(Text.age(silence));
        }
        return line.append(" (Ctrl-C ends)").toString();
    }

    /** Returns the time limit in the units of the elapsed time, with a fraction of a second if it has one. */
    private String total() {
        return duration.toMillisPart() == 0
                ? Text.age(duration.toNanos())
                : Text.seconds(duration.toNanos()).replace(" ", "");
    }

    @Override
    public void close() {
        if (drawn) {
            terminal.err().print(REDRAW);
            terminal.err().flush();
            drawn = false;
        }
    }
}
