package mayfly.cli.command;

import java.nio.file.Path;
import java.util.List;
import mayfly.cli.file.Formats;
import mayfly.cli.file.OutputFile;
import mayfly.cli.file.Rendering;
import mayfly.cli.file.Retry;
import mayfly.cli.option.Argument;
import mayfly.cli.option.CaptureArguments;
import mayfly.cli.option.Definition;
import mayfly.cli.option.Flag;
import mayfly.cli.option.Option;
import mayfly.cli.option.PathConverter;
import mayfly.cli.option.ViewArguments;
import mayfly.cli.output.CommandFailed;
import mayfly.cli.output.ExitCode;
import mayfly.cli.output.Terminal;
import mayfly.cli.output.Text;
import mayfly.report.Format;

/** {@code mayfly convert}. */
final class ConvertCommand implements Subcommand {
    private final CaptureArguments capture = new CaptureArguments();

    private final Argument<Path> out = Argument.value(
            1,
            "OUT",
            new PathConverter(),
            "The output file; an existing file is replaced when the new one is complete. The suffix"
                    + " selects the format: .html, .collapsed, .pb.gz, .speedscope.json, .txt, .mayfly (all events, or"
                    + " the one of --event). - is standard output, which needs --format.");

    private final Option<String> format = Option.named("--format")
            .text("FORMAT")
            .description("html, collapsed, pprof, speedscope, text or mayfly, regardless of the suffix.");

    private final ViewArguments view = new ViewArguments();

    private final Flag quiet = new Flag("-q", "--quiet", "Print only errors on stderr.");

    @Override
    public List<Definition> definitions() {
        return List.of(capture, out, format, view, quiet);
    }

    @Override
    public int run(Terminal terminal) throws CommandFailed {
        Format chosen = Formats.choose(format.orNull(), out.value());
        var options = view.options();
        try (OutputFile file = OutputFile.named(out.value(), terminal)) {
            Rendering rendering = Rendering.of(capture.in(), capture.event(), chosen, options);
            Path written =
                    chosen == Format.CAPTURE ? file.writeForOwner(rendering::writeTo) : file.write(rendering::writeTo);
            if (!quiet.isSet()) {
                rendering.warnings().forEach(warning -> terminal.err().println("Warning: " + Text.printable(warning)));
                rendering.notes().forEach(note -> terminal.err().println("Note: " + Text.printable(note)));
            }
            if (!OutputFile.isStandardOutput(out.value())) {
                terminal.out().println(Text.printable(written.toString()));
            }
        } catch (CommandFailed e) {
            throw Retry.advise(
                    e, capture.in(), Retry.convert(capture.in(), capture.event(), out.value(), chosen, options));
        }
        return ExitCode.DONE.code();
    }
}
