package mayfly.cli.option;

import mayfly.profile.RuntimeId;
import mayfly.report.tree.ConversionOptions;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Options for the presentation of a profile, common to all commands that write one. */
@Command(addMethodSubcommands = false)
public final class ViewArguments {
    @Option(
            names = {"-t", "--threads"},
            description = "Begin each stack with its thread's name.")
    boolean threads;

    @Option(
            names = "--no-native",
            description = "Omit native frames; their time is attributed to the Java frame that called them.")
    boolean noNative;

    @Option(names = "--lines", description = "Distinguish the lines of a method.")
    boolean lines;

    @Option(
            names = "--runtime",
            paramLabel = "ID",
            converter = RuntimeIdConverter.class,
            description = "Show only one of the process's runtimes: r1, r2, ... as in mayfly ps.")
    @Nullable
    RuntimeId runtime;

    public ConversionOptions options() {
        return new ConversionOptions(threads, !noNative, lines, false, runtime);
    }
}
