package mayfly.cli.recording;

import java.io.IOException;
import java.nio.file.Path;
import java.time.LocalTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongPredicate;
import java.util.stream.Stream;
import mayfly.cli.file.CaptureFile;
import mayfly.cli.file.Formats;
import mayfly.cli.file.OutputFile;
import mayfly.cli.file.Rendering;
import mayfly.cli.file.Retry;
import mayfly.cli.output.CommandFailed;
import mayfly.cli.output.EarlyInterrupt;
import mayfly.cli.output.Interrupts;
import mayfly.cli.output.Message;
import mayfly.cli.output.ProgressLine;
import mayfly.cli.output.Terminal;
import mayfly.cli.output.Text;
import mayfly.discovery.Refused;
import mayfly.linux.sys.Owned;
import mayfly.profile.Ledger;
import mayfly.profile.capture.CaptureReader;
import mayfly.record.RecordingOptions;
import mayfly.record.RecordingSession;
import mayfly.report.Format;
import org.jspecify.annotations.Nullable;

/**
 * A recording from the open session to the finished file. If the recording fails, or the file cannot be created from
 * it, the capture is kept, and the message gives its path and the command to try again.
 */
public final class RecordingFlow implements AutoCloseable {
    private static final DateTimeFormatter HHMMSS = DateTimeFormatter.ofPattern("HHmmss", Locale.ROOT);

    /** Opens a session that writes to a given file. */
    @FunctionalInterface
    public interface Opening {
        /**
         * Opens the session.
         *
         * @throws Refused if recording is not permitted or not possible, or the file cannot be written
         */
        RecordingSession open(RecordingOptions options, Path captureFile) throws Refused;
    }

    private final RecordingRequest request;
    private final Terminal terminal;
    private final Format format;
    private final OutputFile file;
    private final CaptureFile capture;
    private final String captureName;
    /** Set by the thread that reports the end of the command: the command's own, or the one that handles Ctrl-C. */
    private final AtomicBoolean isOver = new AtomicBoolean();

    private final AtomicBoolean stopRequested;
    private final LongPredicate isLargeEnough;
    private volatile @Nullable Rendering rendering;
    /** The session; null after the recording, so that its memory can be used for the contents of the file. */
    private volatile @Nullable RecordingSession session;
    /** True if the recording was ended because its capture in memory was full. */
    private boolean isFull;

    private RecordingFlow(
            int pid,
            RecordingRequest request,
            Terminal terminal,
            Opening opening,
            AtomicBoolean stopRequested,
            LongPredicate isLargeEnough)
            throws CommandFailed, Refused {
        this.stopRequested = stopRequested;
        this.isLargeEnough = isLargeEnough;
        this.request = request;
        this.terminal = terminal;
        this.format = format(request);
        Path output = request.output();
        this.file = output == null
                ? OutputFile.withGeneratedName(defaultName(pid, format))
                : OutputFile.named(output, terminal);
        this.capture = CaptureFile.beside(file, format == Format.CAPTURE);
        this.captureName = file.isRegular()
                ? captureName(String.valueOf(file.wanted().getFileName()))
                : defaultName(pid, Format.CAPTURE);
        try (Owned owned = new Owned()) {
            owned.add(file);
            owned.add(capture);
            this.session = owned.release(opening.open(request.options(), capture.path()));
        }
    }

    /** Returns the format of the output. Several events need a capture, and have one if no format is requested. */
    private static Format format(RecordingRequest request) throws CommandFailed {
        boolean several = request.options().events().size() > 1;
        if (several && request.format() == null && request.output() == null) {
            return Format.CAPTURE;
        }
        Format format = Formats.choose(request.format(), request.output());
        if (several && format != Format.CAPTURE) {
            throw Message.USAGE.with("the format " + format.id() + " shows one event: record several into a file that"
                    + " ends in " + Format.CAPTURE.suffixes().getFirst()
                    + ", then show each with mayfly convert --event NAME");
        }
        return format;
    }

    /**
     * Opens the session.
     *
     * @param pid the target, for the name of the file
     * @throws CommandFailed if the format is unknown or the file cannot be created
     * @throws Refused if the session cannot be opened
     */
    public static RecordingFlow open(int pid, RecordingRequest request, Terminal terminal, Opening opening)
            throws CommandFailed, Refused {
        return open(pid, request, terminal, opening, new AtomicBoolean(), bytes -> false);
    }

    /**
     * Opens the session of a recording that is part of a longer one.
     *
     * @param stopRequested set by Ctrl-C; if it is set elsewhere, the recording ends too
     * @param isLargeEnough returns true for a size of the capture, in bytes, at which the recording ends; called
     *     several times a second
     */
    static RecordingFlow open(
            int pid,
            RecordingRequest request,
            Terminal terminal,
            Opening opening,
            AtomicBoolean stopRequested,
            LongPredicate isLargeEnough)
            throws CommandFailed, Refused {
        return new RecordingFlow(pid, request, terminal, opening, stopRequested, isLargeEnough);
    }

    /**
     * Records a running process, and prints the result.
     *
     * @throws CommandFailed if the format is unknown, or the recording or its output fails
     * @throws Refused if the process cannot be recorded
     */
    public static void record(int pid, RecordingRequest request, Terminal terminal) throws CommandFailed, Refused {
        try (var flow =
                open(pid, request, terminal, (options, capture) -> RecordingSession.open(pid, options, capture))) {
            flow.run().print(terminal, request.quiet(), request.json());
        }
    }

    private static String defaultName(int pid, Format format) {
        String what = format == Format.FLAMEGRAPH ? "flamegraph" : "profile";
        return what + "-" + pid + "-" + LocalTime.now().format(HHMMSS)
                + format.suffixes().getFirst();
    }

    /** Returns the name of the output with the suffix of a capture. */
    private static String captureName(String output) {
        String lower = output.toLowerCase(Locale.ROOT);
        for (Format format : Format.values()) {
            for (String suffix : format.suffixes()) {
                if (lower.endsWith(suffix) && lower.length() > suffix.length()) {
                    return output.substring(0, output.length() - suffix.length())
                            + Format.CAPTURE.suffixes().getFirst();
                }
            }
        }
        return output + Format.CAPTURE.suffixes().getFirst();
    }

    /**
     * Records, then writes the file.
     *
     * @throws CommandFailed if either fails
     */
    public RecordingResult run() throws CommandFailed {
        try (var _ = Interrupts.handle(this::stop, this::giveUp)) {
            EarlyInterrupt.over();
            try {
                return finish(record());
            } catch (CommandFailed e) {
                throw kept(e);
            } catch (RuntimeException | Error e) {
                printCause(e);
                throw kept(Message.RENDERING.with(OutputFile.name(file.wanted()), "this is a defect in Mayfly: " + e));
            } finally {
                reportAlone();
            }
        }
    }

    /** Adds the path of the capture to a failure, and the command that converts it. */
    private CommandFailed kept(CommandFailed failure) {
        try {
            Path kept = capture.keep(captureName);
            String again = kept.equals(file.wanted())
                    ? ""
                    : "\nto try again: "
                            + Retry.convert(kept, CaptureReader.FIRST_EVENT, file.wanted(), format, request.view());
            return failure.advising("the recording is kept: " + kept + again);
        } catch (IOException e) {
            return failure.advising("the recording could not be kept: " + OutputFile.reason(e));
        } catch (CommandFailed e) {
            return failure.advising("the recording could not be kept: " + e.getMessage());
        }
    }

    private void printCause(Throwable e) {
        if (terminal.environment().containsKey("MAYFLY_DEBUG")) {
            e.printStackTrace(terminal.err());
        }
    }

    /** If the handler of a second Ctrl-C already reports the end of the command, waits until the process ends. */
    private void reportAlone() {
        while (!isOver.compareAndSet(false, true)) {
            LockSupport.park();
        }
    }

    private List<Ledger> record() throws CommandFailed {
        try {
            return sample();
        } catch (IOException e) {
            throw OutputFile.failed(file.wanted(), e);
        } catch (RuntimeException | Error e) {
            printCause(e);
            throw Message.defect(e);
        }
    }

    /** Samples to the end and closes the session, so that its memory can be reclaimed if the heap is full. */
    private List<Ledger> sample() throws IOException {
        RecordingSession recording = Objects.requireNonNull(session);
        try (recording;
                var progress = new ProgressLine(
                        terminal, request.quiet(), request.options().duration())) {
            if (!request.quiet()) {
                terminal.err().println(Text.printable(recording.describe()));
                if (capture.isInMemory()) {
                    terminal.err()
                            .println("Note: no file can be created in "
                                    + Text.printable(file.directory().toString())
                                    + ", so the recording is kept in memory until it is written");
                }
            }
            recording.run((samples, elapsedNanos, lost) -> {
                progress.tick(samples, elapsedNanos, lost);
                if (stopRequested.get() || isLargeEnough.test(capture.bytes())) {
                    recording.stop();
                }
                if (capture.isFull() && !isFull) {
                    isFull = true;
                    recording.stop();
                }
            });
            return recording.ledgers();
        } finally {
            session = null;
            if (isFull) {
                terminal.err()
                        .println("mayfly: the recording ended early, because it took a quarter of the available"
                                + " memory: -o FILE in a writable directory has no such limit");
            }
        }
    }

    private void stop() {
        stopRequested.set(true);
        RecordingSession recording = session;
        if (recording != null) {
            recording.stop();
        } else if (isOver.get()) {
            return;
        } else {
            terminal.err()
                    .println("mayfly: writing " + Text.printable(OutputFile.name(file.wanted()))
                            + "; a second Ctrl-C cancels it and keeps the recording");
        }
    }

    /** Aborts the recording; the process ends afterwards. */
    private void giveUp() {
        if (isOver.compareAndSet(false, true)) {
            Rendering unfinished = rendering;
            if (unfinished != null) {
                unfinished.stop();
            }
            kept(Message.GIVEN_UP.with(OutputFile.name(file.wanted()))).printTo(terminal.err());
            terminal.err().flush();
        }
        file.close();
    }

    private RecordingResult finish(List<Ledger> ledgers) throws CommandFailed {
        System.gc(); // the memory of the session is reused for the file's contents
        Rendering made = Rendering.of(capture.path(), CaptureReader.FIRST_EVENT, format, request.view());
        rendering = made;
        Path written = format == Format.CAPTURE && file.isRegular() ? capture.commit() : file.write(made::writeTo);
        List<String> warnings =
                Stream.concat(made.warnings().stream(), made.notes().stream()).toList();
        return new RecordingResult(written, format, made.recording(), warnings, ledgers, made.profile());
    }

    @Override
    public void close() {
        RecordingSession recording = session;
        if (recording != null) {
            recording.close();
        }
        capture.close();
        file.close();
    }
}
