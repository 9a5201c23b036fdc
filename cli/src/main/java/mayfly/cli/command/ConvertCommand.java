package mayfly.cli.command;

import java.nio.file.Path;
import mayfly.cli.file.Formats;
import mayfly.cli.file.OutputFile;
import mayfly.cli.file.Rendering;
import mayfly.cli.file.Retry;
import mayfly.cli.option.CaptureArguments;
import mayfly.cli.option.PathConverter;
import mayfly.cli.option.ViewArguments;
import mayfly.cli.output.CommandFailed;
import mayfly.cli.output.ExitCode;
import mayfly.cli.output.Terminal;
import mayfly.cli.output.Text;
import mayfly.report.Format;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code mayfly convert}. */
@Command(addMethodSubcommands = false)
final class ConvertCommand implements Subcommand {
    @Mixin
    CaptureArguments capture = new CaptureArguments();

    @Parameters(
            index = "1",
            paramLabel = "OUT",
            converter = PathConverter.class,
            description = "The output file; an existing file is replaced when the new one is complete. The suffix"
                    + " selects the format: .html, .collapsed, .pb.gz, .speedscope.json, .txt, .mayfly (all events, or"
                    + " the one of --event). - is standard output, which needs --format.")
    Path out = Path.of("");

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            description = "html, collapsed, pprof, speedscope, text or mayfly, regardless of the suffix.")
    @Nullable
    String format;

    @Mixin
    ViewArguments view = new ViewArguments();

    @Option(
            names = {"-q", "--quiet"},
            description = "Print only errors on stderr.")
    boolean quiet;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    boolean help;

    @Override
    public int run(Terminal terminal) throws CommandFailed {
        Format chosen = Formats.choose(format, out);
        var options = view.options();
        try (OutputFile file = OutputFile.named(out, terminal)) {
            Rendering rendering = Rendering.of(capture.in, capture.event, chosen, options);
            Path written =
                    chosen == Format.CAPTURE ? file.writeForOwner(rendering::writeTo) : file.write(rendering::writeTo);
            if (!quiet) {
                rendering.warnings().forEach(warning -> terminal.err().println("Warning: " + Text.printable(warning)));
                rendering.notes().forEach(note -> terminal.err().println("Note: " + Text.printable(note)));
            }
            if (!OutputFile.isStandardOutput(out)) {
                terminal.out().println(Text.printable(written.toString()));
            }
        } catch (CommandFailed e) {
            throw Retry.advise(e, capture.in, Retry.convert(capture.in, capture.event, out, chosen, options));
        }
        return ExitCode.DONE.code();
    }
}
