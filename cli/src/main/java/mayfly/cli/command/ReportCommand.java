package mayfly.cli.command;

import java.io.IOException;
import java.nio.file.Path;
import mayfly.cli.file.OutputFile;
import mayfly.cli.file.Rendering;
import mayfly.cli.file.RenderingFailed;
import mayfly.cli.file.Retry;
import mayfly.cli.option.PathConverter;
import mayfly.cli.option.ViewArguments;
import mayfly.cli.output.CommandFailed;
import mayfly.cli.output.ExitCode;
import mayfly.cli.output.Message;
import mayfly.cli.output.Terminal;
import mayfly.report.Format;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code mayfly report}. */
@Command
final class ReportCommand implements Subcommand {
    @Parameters(index = "0", paramLabel = "IN", converter = PathConverter.class,
            description = "A capture (.mayfly), complete or truncated.")
    Path in = Path.of("");

    @Option(names = "--text", description = "Print text on standard output. The only form so far, and the default.")
    boolean text;

    @Mixin
    ViewArguments view = new ViewArguments();

    @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this help.")
    boolean help;

    @Override
    public int run(Terminal terminal) throws CommandFailed {
        try {
            Rendering.of(in, Format.TEXT, view.options()).writeTo(terminal.out());
        } catch (RenderingFailed e) {
            throw Retry.advise(Message.RENDERING.with("a report", String.valueOf(e.getMessage())), in, retry());
        } catch (IOException e) {
            throw Message.OUTPUT.with("standard output", OutputFile.reason(e));
        } catch (CommandFailed e) {
            throw Retry.advise(e, in, retry());
        }
        return ExitCode.DONE.code();
    }

    private String retry() {
        return Retry.report(in, view.options());
    }
}
