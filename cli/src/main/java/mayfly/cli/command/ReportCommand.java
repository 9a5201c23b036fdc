package mayfly.cli.command;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.util.List;
import mayfly.cli.file.OutputFile;
import mayfly.cli.file.Rendering;
import mayfly.cli.file.RenderingFailed;
import mayfly.cli.file.Retry;
import mayfly.cli.option.CaptureArguments;
import mayfly.cli.option.Definition;
import mayfly.cli.option.Flag;
import mayfly.cli.option.ViewArguments;
import mayfly.cli.output.CommandFailed;
import mayfly.cli.output.ExitCode;
import mayfly.cli.output.Message;
import mayfly.cli.output.Terminal;
import mayfly.cli.output.Text;
import mayfly.profile.BadCapture;
import mayfly.profile.capture.CaptureReader;
import mayfly.profile.capture.ThreadTotals;
import mayfly.report.Format;
import mayfly.report.text.ThreadTable;

/** {@code mayfly report}. */
final class ReportCommand implements Subcommand {
    private final CaptureArguments capture = new CaptureArguments();

    private final Flag text =
            new Flag("--text", "Print text on standard output: the default and the only form so far.");

    private final ViewArguments view = new ViewArguments();

    @Override
    public List<Definition> definitions() {
        return List.of(capture, text, view);
    }

    @Override
    public int run(Terminal terminal) throws CommandFailed {
        try {
            Rendering rendering = Rendering.of(capture.in(), capture.event(), Format.TEXT, view.options());
            rendering.notes().forEach(note -> terminal.err().println("Note: " + Text.printable(note)));
            rendering.writeTo(terminal.out());
            if (view.options().threads()) {
                printThreads(rendering.warnings(), terminal);
            }
        } catch (RenderingFailed e) {
            throw Retry.advise(
                    Message.RENDERING.with("a report", String.valueOf(e.getMessage())), capture.in(), retry());
        } catch (IOException e) {
            throw Message.OUTPUT.with("standard output", OutputFile.reason(e));
        } catch (CommandFailed e) {
            throw Retry.advise(e, capture.in(), retry());
        }
        return ExitCode.DONE.code();
    }

    /** Prints the totals of each thread in all events. */
    private void printThreads(List<String> known, Terminal terminal) throws CommandFailed {
        ThreadTotals totals;
        try (InputStream in = Files.newInputStream(capture.in())) {
            totals = CaptureReader.threadTotals(in);
        } catch (IOException e) {
            throw Message.INPUT.with(capture.in(), OutputFile.reason(e));
        } catch (BadCapture e) {
            throw Message.NOT_A_CAPTURE.with(capture.in(), String.valueOf(e.getMessage()));
        } catch (OutOfMemoryError e) {
            throw Message.RENDERING.with("the table of threads", "the heap is full");
        }
        totals.warnings().stream()
                .filter(warning -> !known.contains(warning))
                .forEach(warning -> terminal.err().println("Warning: " + Text.printable(warning)));
        terminal.out().println();
        ThreadTable.lines(totals).forEach(terminal.out()::println);
    }

    private String retry() {
        return Retry.report(capture.in(), capture.event(), view.options());
    }
}
