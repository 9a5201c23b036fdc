package mayfly.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import mayfly.profile.BadCapture;
import mayfly.profile.CaptureReader;
import mayfly.profile.Profile;
import mayfly.report.ConversionOptions;
import mayfly.report.Format;
import mayfly.sampler.RecordingOptions;
import mayfly.sampler.RecordingSession;
import mayfly.sampler.SessionRefused;
import org.jspecify.annotations.Nullable;

/** One recording, from the open session to the finished file. Nothing is left behind if it fails. */
final class RecordingFlow implements AutoCloseable {
    private static final DateTimeFormatter HHMMSS = DateTimeFormatter.ofPattern("HHmmss", Locale.ROOT);

    /** Opens a session that writes to a given file. */
    @FunctionalInterface
    interface Opening {
        RecordingSession open(RecordingOptions options, Path captureFile) throws SessionRefused;
    }

    private final RecordingArguments arguments;
    private final Terminal terminal;
    private final RecordingOptions options;
    private final ConversionOptions view;
    private final Format format;
    private final OutputFile file;
    private final Path capture;
    private final RecordingSession session;
    /** The capture that has no name any more; none if a capture is what is wanted. */
    private final @Nullable InputStream nameless;

    private RecordingFlow(RecordingArguments arguments, Terminal terminal, Duration durationIfNone, int pid,
                          Opening opening) throws CommandFailed, SessionRefused {
        this.arguments = arguments;
        this.terminal = terminal;
        this.options = arguments.options(durationIfNone);
        this.view = arguments.view.options();
        this.format = Formats.choose(arguments.format, arguments.output);
        Path output = arguments.output;
        this.file = output == null ? OutputFile.unnamed(defaultName(pid, format)) : OutputFile.named(output);
        this.capture = file.part("capture");
        RecordingSession opened = null;
        InputStream reader = null;
        boolean done = false;
        try {
            opened = opening.open(options, capture);
            reader = format == Format.CAPTURE ? null : takeNameAway(capture);
            done = true;
        } catch (IOException e) {
            throw OutputFile.failed(file.wanted(), e);
        } finally {
            if (!done) {
                close(opened);
                file.close();
            }
        }
        this.session = opened;
        this.nameless = reader;
    }

    private static void close(@Nullable RecordingSession session) {
        if (session != null) {
            session.close();
        }
    }

    /**
     * So that nothing stays of it, however we end. A capture that is wanted keeps its name: what there is of it can be read.
     */
    private static InputStream takeNameAway(Path capture) throws IOException {
        InputStream reader = Files.newInputStream(capture);
        Files.delete(capture);
        return reader;
    }

    /**
     * Checks the arguments, then opens the session.
     *
     * @param durationIfNone how long if the user did not say, zero: until the target ends
     * @param pid the target, for the name of the file
     */
    static RecordingFlow open(RecordingArguments arguments, Terminal terminal, Duration durationIfNone, int pid,
                              Opening opening) throws CommandFailed, SessionRefused {
        return new RecordingFlow(arguments, terminal, durationIfNone, pid, opening);
    }

    private static String defaultName(int pid, Format format) {
        String what = format == Format.FLAMEGRAPH ? "flamegraph" : "profile";
        return what + "-" + pid + "-" + LocalTime.now().format(HHMMSS) + format.suffixes().getFirst();
    }

    /**
     * Records, then writes the file.
     *
     * @param begun called once the session is ready, before the first sample
     */
    RecordingResult run(Runnable begun) throws CommandFailed {
        try (var _ = Interrupts.handle(session::stop, file::close)) {
            if (!arguments.quiet) {
                terminal.err().println(Text.printable(session.describe()));
            }
            begun.run();
            record();
            return finish();
        }
    }

    private void record() throws CommandFailed {
        try (var progress = new ProgressLine(terminal, arguments.quiet, options.duration())) {
            session.run(progress);
        } catch (IOException e) {
            throw OutputFile.failed(file.wanted(), e);
        } finally {
            session.close();
        }
    }

    private RecordingResult finish() throws CommandFailed {
        Profile profile = nameless == null ? read(capture) : readNameless(nameless);
        Path written = format == Format.CAPTURE && file.isRegular()
                ? file.commit(capture)
                : file.write(out -> Formats.write(profile, capture, format, view, out));
        return new RecordingResult(written, format, profile, session.ledger());
    }

    private Profile readNameless(InputStream in) throws CommandFailed {
        try (in) {
            return CaptureReader.read(in);
        } catch (IOException e) {
            throw Message.INPUT.with(capture, OutputFile.reason(e));
        } catch (BadCapture e) {
            throw Message.NOT_A_CAPTURE.with(capture, String.valueOf(e.getMessage()));
        }
    }

    static Profile read(Path capture) throws CommandFailed {
        try {
            return CaptureReader.read(capture);
        } catch (IOException e) {
            throw Message.INPUT.with(capture, OutputFile.reason(e));
        } catch (BadCapture e) {
            throw Message.NOT_A_CAPTURE.with(capture, String.valueOf(e.getMessage()));
        }
    }

    @Override
    public void close() {
        session.close();
        file.close();
    }
}
