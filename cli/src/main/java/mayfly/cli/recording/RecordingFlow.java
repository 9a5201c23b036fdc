package mayfly.cli.recording;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import mayfly.cli.file.CaptureFile;
import mayfly.cli.file.Formats;
import mayfly.cli.file.OutputFile;
import mayfly.cli.file.Rendering;
import mayfly.cli.file.Retry;
import mayfly.cli.option.RecordingArguments;
import mayfly.cli.output.CommandFailed;
import mayfly.cli.output.EarlyInterrupt;
import mayfly.cli.output.Interrupts;
import mayfly.cli.output.Message;
import mayfly.cli.output.ProgressLine;
import mayfly.cli.output.Terminal;
import mayfly.cli.output.Text;
import mayfly.discovery.SessionRefused;
import mayfly.profile.Ledger;
import mayfly.record.RecordingOptions;
import mayfly.record.RecordingSession;
import mayfly.report.Format;
import mayfly.report.tree.ConversionOptions;
import org.jspecify.annotations.Nullable;

/**
 * A recording from the open session to the finished file. If the file cannot be created from the recording, the
 * capture is kept, and the message gives its path and the command to try again.
 */
public final class RecordingFlow implements AutoCloseable {
    private static final DateTimeFormatter HHMMSS = DateTimeFormatter.ofPattern("HHmmss", Locale.ROOT);

    /** Opens a session that writes to a given file. */
    @FunctionalInterface
    public interface Opening {
        RecordingSession open(RecordingOptions options, Path captureFile) throws SessionRefused;
    }

    private final RecordingArguments arguments;
    private final Terminal terminal;
    private final RecordingOptions options;
    private final ConversionOptions view;
    private final Format format;
    private final OutputFile file;
    private final CaptureFile capture;
    private final String captureName;
    /** Set by the thread that reports the end of the command: the command's own, or that of Ctrl-C. */
    private final AtomicBoolean isOver = new AtomicBoolean();
    private volatile @Nullable Rendering rendering;
    /** The session; null after the recording, so that its data about the target makes room for the file's contents. */
    private volatile @Nullable RecordingSession session;

    private RecordingFlow(RecordingArguments arguments, Terminal terminal, Duration duration, int pid,
                          Opening opening) throws CommandFailed, SessionRefused {
        if (arguments.json && OutputFile.isStandardOutput(arguments.output)) {
            throw Message.USAGE.with("--json and -o - both print on standard output: name a file");
        }
        this.arguments = arguments;
        this.terminal = terminal;
        this.options = arguments.options(duration);
        this.view = arguments.view.options();
        this.format = Formats.choose(arguments.format, arguments.output);
        Path output = arguments.output;
        this.file = output == null ? OutputFile.unnamed(defaultName(pid, format)) : OutputFile.named(output, terminal);
        this.capture = CaptureFile.beside(file, format == Format.CAPTURE);
        this.captureName = file.isRegular() ? captureName(String.valueOf(file.wanted().getFileName()))
                : defaultName(pid, Format.CAPTURE);
        RecordingSession opened = null;
        boolean done = false;
        try {
            opened = opening.open(options, capture.path());
            capture.isOpen();
            done = true;
        } catch (IOException e) {
            throw OutputFile.failed(file.wanted(), e);
        } finally {
            if (!done) {
                close(opened);
                capture.close();
                file.close();
            }
        }
        this.session = opened;
    }

    private static void close(@Nullable RecordingSession session) {
        if (session != null) {
            session.close();
        }
    }

    /**
     * Checks the arguments, then opens the session.
     *
     * @param duration zero to record until the target ends
     * @param pid the target, for the name of the file
     * @throws CommandFailed if an argument is invalid or the file cannot be created
     */
    public static RecordingFlow open(RecordingArguments arguments, Terminal terminal, Duration duration, int pid,
                              Opening opening) throws CommandFailed, SessionRefused {
        return new RecordingFlow(arguments, terminal, duration, pid, opening);
    }

    private static String defaultName(int pid, Format format) {
        String what = format == Format.FLAMEGRAPH ? "flamegraph" : "profile";
        return what + "-" + pid + "-" + LocalTime.now().format(HHMMSS) + format.suffixes().getFirst();
    }

    /** Returns the name of the output with the suffix of a capture. */
    private static String captureName(String output) {
        String lower = output.toLowerCase(Locale.ROOT);
        for (Format format : Format.values()) {
            for (String suffix : format.suffixes()) {
                if (lower.endsWith(suffix) && lower.length() > suffix.length()) {
                    return output.substring(0, output.length() - suffix.length()) + Format.CAPTURE.suffixes().getFirst();
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
            Ledger ledger = record();
            try {
                return finish(ledger);
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
            return failure.advising("the recording is kept: " + kept + "\nto try again: "
                    + Retry.convert(kept, file.wanted(), format, view));
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

    /** If Ctrl-C has taken over the reporting, waits for the end of the process. */
    private void reportAlone() {
        while (!isOver.compareAndSet(false, true)) {
            LockSupport.park();
        }
    }

    private Ledger record() throws CommandFailed {
        RecordingSession recording = Objects.requireNonNull(session);
        if (!arguments.quiet) {
            terminal.err().println(Text.printable(recording.describe()));
        }
        try (var progress = new ProgressLine(terminal, arguments.quiet, options.duration())) {
            recording.run(progress);
            return recording.ledger();
        } catch (IOException e) {
            throw kept(OutputFile.failed(file.wanted(), e));
        } finally {
            recording.close();
            session = null;
        }
    }

    private void stop() {
        RecordingSession recording = session;
        if (recording != null) {
            recording.stop();
        } else if (isOver.get()) {
            return;
        } else {
            terminal.err().println("mayfly: making " + Text.printable(OutputFile.name(file.wanted()))
                    + "; Ctrl-C again gives it up and keeps the recording");
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

    private RecordingResult finish(Ledger ledger) throws CommandFailed {
        System.gc(); // the memory of the session is reused for the file's contents
        Rendering made = Rendering.of(capture.path(), format, view);
        rendering = made;
        Path written = format == Format.CAPTURE && file.isRegular()
                ? file.commit(capture.path())
                : file.write(made::writeTo);
        return new RecordingResult(written, format, made.recording(), made.warnings(), ledger, made.profile());
    }

    @Override
    public void close() {
        close(session);
        capture.close();
        file.close();
    }
}
