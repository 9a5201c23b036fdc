package mayfly.cli.option;

import mayfly.profile.RuntimeId;
import mayfly.report.tree.ConversionOptions;
import picocli.CommandLine.Model.CommandSpec;

/** Options for the presentation of a profile, common to all commands that write one. */
public final class ViewArguments implements Definition {
    private final Flag threads = new Flag(
            "-t",
            "--threads",
            "Begin each stack with its thread's name. mayfly report also prints a table of the threads: the total of"
                    + " each in every event of the capture, and its parts by state.");
    private final Flag noNative =
            new Flag("--no-native", "Omit native frames; their time is attributed to the Java frame that called them.");
    private final Flag lines = new Flag("--lines", "Distinguish the lines of a method.");
    private final Option<RuntimeId.Choice> runtime = Option.named("--runtime")
            .value("ID|VERSION", new RuntimeChoiceConverter())
            .description("Show only one of the process's runtimes: r1, r2, ... as in mayfly ps, or its version or the"
                    + " beginning of it. If several have the version, all of them are shown. In collapsed output"
                    + " of a process with several runtimes, each method and stub ends with its runtime: _[r1],"
                    + " _[r2], ...");

    @Override
    public void addTo(CommandSpec command) {
        threads.addTo(command);
        noNative.addTo(command);
        lines.addTo(command);
        runtime.addTo(command);
    }

    public ConversionOptions options() {
        return new ConversionOptions(threads.isSet(), !noNative.isSet(), lines.isSet(), false, runtime.orNull());
    }
}
