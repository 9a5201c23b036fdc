package mayfly.cli.option;

import java.nio.file.Path;
import mayfly.profile.capture.CaptureReader;
import picocli.CommandLine.Model.CommandSpec;

/** The capture that a command reads, and the event of it that the command shows. */
public final class CaptureArguments implements Definition {
    private final Argument<Path> in =
            Argument.value(0, "IN", new PathConverter(), "A capture (.mayfly), complete or truncated.");
    private final Option<String> event = Option.named("--event")
            .text("NAME")
            .description("The event to show, if the capture has several. Default: its first one.");

    @Override
    public void addTo(CommandSpec command) {
        in.addTo(command);
        event.addTo(command);
    }

    /** Returns the file of the capture. */
    public Path in() {
        return in.value();
    }

    /** Returns the name of the event to show; {@link CaptureReader#FIRST_EVENT} if none was named. */
    public String event() {
        return event.or(CaptureReader.FIRST_EVENT);
    }
}
