package mayfly.cli.recording;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import mayfly.cli.file.OutputFile;
import mayfly.cli.output.CommandFailed;
import mayfly.cli.output.Interrupts;
import mayfly.cli.output.Message;
import mayfly.cli.output.Terminal;
import mayfly.cli.output.Text;
import mayfly.discovery.InspectedProcess;
import mayfly.discovery.Refused;
import mayfly.record.RecordingSession;
import mayfly.report.Format;

/**
 * A long recording of one process as a sequence of captures, of which only the latest are kept. Each capture is a
 * recording of its own, so that it can be read without the others. A failure ends the recording; it loses one capture
 * at most.
 */
public final class RotatingRecording {
    private static final Duration MIN_INTERVAL = Duration.ofSeconds(1);
    private static final long MIN_BYTES = 64 << 10;
    /** A capture ends early when it takes this part of the space, so that others remain. */
    private static final int PART = 4;

    private static final Duration FOREVER = Duration.ofDays(100_000);
    /** The time in which a process that cannot be recorded any more may turn out to be ending. */
    private static final int ENDING_MILLIS = 1_000;
    /** The end of a name: UTC, because a local time can occur twice. */
    private static final DateTimeFormatter STARTED =
            DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);

    private final int pid;
    /** The same process, opened for as long as the recording lasts: the id of an ended one may be used again. */
    private final InspectedProcess target;

    private final RecordingRequest request;
    private final Duration interval;
    private final Bounds bounds;
    private final Terminal terminal;
    /** The captures that exist, the oldest first. */
    private final Deque<Kept> kept = new ArrayDeque<>();

    private long keptBytes;
    private long captureBegun;

    /** Set by Ctrl-C. */
    private final AtomicBoolean stopped = new AtomicBoolean();

    /**
     * Upper bounds on the captures that exist at one time.
     *
     * @param captures the number of complete ones
     * @param bytes the size of all, with the one that is being recorded
     */
    public record Bounds(int captures, long bytes) {}

    private record Kept(Path file, long bytes) {}

    private RotatingRecording(
            int pid,
            InspectedProcess target,
            RecordingRequest request,
            Duration interval,
            Bounds bounds,
            Terminal terminal) {
        this.pid = pid;
        this.target = target;
        this.request = request;
        this.interval = interval;
        this.bounds = bounds;
        this.terminal = terminal;
    }

    /**
     * Records until the duration of the request is over, the process ends, or Ctrl-C, and prints the result of each
     * capture.
     *
     * @param interval the duration of a capture
     * @param bounds the captures to keep: 1 or more, in 64 KiB or more
     * @throws CommandFailed if an option is out of range, the output is not a capture, or a capture cannot be written;
     *     the earlier ones remain
     * @throws Refused if the process cannot be recorded
     */
    public static void record(int pid, RecordingRequest request, Duration interval, Bounds bounds, Terminal terminal)
            throws CommandFailed, Refused {
        if (interval.compareTo(MIN_INTERVAL) < 0) {
            throw Message.USAGE.with("--rotate must be at least 1s");
        }
        if (bounds.captures < 1) {
            throw Message.USAGE.with("--keep must be at least 1");
        }
        if (bounds.bytes < MIN_BYTES) {
            throw Message.USAGE.with("--max-size must be at least 64k");
        }
        requireCapture(request);
        try (InspectedProcess target = InspectedProcess.openUnread(pid)) {
            new RotatingRecording(pid, target, request, interval, bounds, terminal).run();
        }
    }

    private static void requireCapture(RecordingRequest request) throws CommandFailed {
        String suffix = Format.CAPTURE.suffixes().getFirst();
        Path output = request.output();
        String format = request.format();
        if (format != null && !format.equals(Format.CAPTURE.id())
                || output != null
                        && (OutputFile.isStandardOutput(output) || !name(output).endsWith(suffix))) {
            throw Message.USAGE.with("--rotate writes captures: name a file that ends in " + suffix
                    + "; mayfly convert makes a flame graph of each");
        }
    }

    private static String name(Path file) {
        return String.valueOf(file.getFileName());
    }

    private void run() throws CommandFailed, Refused {
        long begun = System.nanoTime();
        boolean goesOn = recordOne(shorter(interval, left(begun)));
        // Before that, Ctrl-C is handled as in any recording.
        try (var _ = Interrupts.handle(() -> stopped.set(true), this::reportGivenUp)) {
            while (goesOn && !stopped.get()) {
                Duration left = left(begun);
                goesOn = left.compareTo(MIN_INTERVAL) >= 0 && recordOne(shorter(interval, left));
            }
        }
    }

    private void reportGivenUp() {
        Message.GIVEN_UP.with("the next capture").printTo(terminal.err());
        terminal.err().flush();
    }

    /** Returns the rest of the whole duration. */
    private Duration left(long begun) {
        Duration whole = request.options().duration();
        return whole.isZero() ? FOREVER : whole.minusNanos(System.nanoTime() - begun);
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /** Records one capture. Returns false if it is the last one. */
    private boolean recordOne(Duration duration) throws CommandFailed, Refused {
        RecordingRequest one = request.of(duration, file(Instant.now()));
        captureBegun = System.nanoTime();
        try (RecordingFlow flow = RecordingFlow.open(
                pid,
                one,
                terminal,
                (options, capture) -> RecordingSession.open(pid, options, capture),
                stopped,
                this::isLargeEnough)) {
            if (!target.isAlive()) { // its id may be another one's now
                throw new Refused(Refused.Reason.TARGET_GONE, "process " + pid + " has ended", "");
            }
            if (stopped.get() && !kept.isEmpty()) {
                return false; // a capture of some milliseconds would replace a whole one
            }
            RecordingResult result = flow.run();
            result.print(terminal, one.quiet(), one.json());
            keep(result.file());
            return target.isAlive();
        } catch (Refused e) {
            if (kept.isEmpty() || !target.isEnding(ENDING_MILLIS)) {
                throw e;
            }
            return false; // it has ended since the last capture
        }
    }

    private Path file(Instant started) {
        String suffix = Format.CAPTURE.suffixes().getFirst();
        Path output = request.output();
        Path named = output == null ? Path.of("profile-" + pid + suffix) : output;
        String name = name(named);
        String stem = name.substring(0, name.length() - suffix.length()) + "-" + STARTED.format(started);
        Path file = named.resolveSibling(stem + suffix);
        for (int i = 2; Files.exists(file); i++) {
            file = named.resolveSibling(stem + "-" + i + suffix); // the clock was set back
        }
        return file;
    }

    /** Makes room for a capture of the given size that is being recorded. Returns true if it should end. */
    private boolean isLargeEnough(long bytes) {
        while (kept.size() > 1 && keptBytes + bytes > bounds.bytes) {
            removeOldest();
        }
        return bytes >= bounds.bytes / PART && System.nanoTime() - captureBegun >= MIN_INTERVAL.toNanos();
    }

    private void keep(Path file) {
        Kept last = new Kept(file, file.toFile().length());
        kept.add(last);
        keptBytes += last.bytes;
        while (kept.size() > bounds.captures || kept.size() > 1 && keptBytes > bounds.bytes) {
            removeOldest();
        }
    }

    private void removeOldest() {
        Kept oldest = kept.remove();
        keptBytes -= oldest.bytes;
        try {
            Files.deleteIfExists(oldest.file);
        } catch (IOException e) {
            terminal.err()
                    .println("mayfly: " + Text.printable(oldest.file.toString()) + " could not be removed: "
                            + OutputFile.reason(e));
        }
    }
}
