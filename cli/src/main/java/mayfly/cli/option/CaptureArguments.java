package mayfly.cli.option;

import java.nio.file.Path;
import mayfly.profile.capture.CaptureReader;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The capture that a command reads, and the event of it that the command shows. */
@Command(addMethodSubcommands = false)
public final class CaptureArguments {
    @Parameters(
            index = "0",
            paramLabel = "IN",
            converter = PathConverter.class,
            description = "A capture (.mayfly), complete or truncated.")
    public Path in = Path.of("");

    @Option(
            names = "--event",
            paramLabel = "NAME",
            description = "The event to show, if the capture has several. Default: its first one.")
    public String event = CaptureReader.FIRST_EVENT;
}
