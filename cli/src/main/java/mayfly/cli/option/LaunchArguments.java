package mayfly.cli.option;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import mayfly.attach.launch.LaunchRequest;
import mayfly.cli.output.CommandFailed;
import mayfly.cli.output.Message;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;

/** Options of {@code run} for starting a program's JVMs with a profiler. */
@Command(addMethodSubcommands = false)
public final class LaunchArguments {
    /** Options permitted with {@code --profiler}; all other options of {@code run} apply to a recording. */
    private static final Set<String> WITH_PROFILER = Set.of(
            "--profiler",
            "--timeout",
            "--accept-lasting-cost",
            "--accept-remaining-classes",
            "--print-environment",
            "--quiet");

    @Option(
            names = "--profiler",
            paramLabel = "JAR[=CLASS]",
            description = "Do not record: start the program's JVMs (not those that they start) with this profiler,"
                    + " initialised before main runs. send, status and detach work as after attach.")
    @Nullable
    String profiler;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            defaultValue = "10s",
            description = "With --profiler: how long main waits for the profiler. Default: ${DEFAULT-VALUE}.")
    Duration timeout = Duration.ofSeconds(10);

    @Option(
            names = "--accept-lasting-cost",
            description = "With --profiler: start the profiler even if it slows"
                    + " virtual threads for the rest of the JVM's life (JDK 21 and later).")
    boolean acceptLastingCost;

    @Option(
            names = "--accept-remaining-classes",
            description = "With --profiler: start the profiler even if the JVM never unloads"
                    + " classes. Its classes then remain loaded after its detach.")
    boolean acceptRemainingClasses;

    @Option(
            names = "--print-environment",
            paramLabel = "FOLDER",
            converter = PathConverter.class,
            description = "With --profiler, for a program that is started in another way: put the files that its JVM"
                    + " needs into this folder, print the environment variable that refers to it, and start nothing.")
    @Nullable
    public Path folder;

    /**
     * Returns the request if a profiler was requested.
     *
     * @throws CommandFailed if an option does not apply to it
     */
    public Optional<LaunchRequest> request(ParseResult parsed) throws CommandFailed {
        String named = profiler;
        for (var option : parsed.matchedOptions()) {
            boolean isPermitted = WITH_PROFILER.contains(option.longestName());
            boolean shared = option.longestName().equals("--quiet");
            if (named == null && isPermitted && !shared) {
                throw Message.USAGE.with(option.longestName() + " needs --profiler; see mayfly run --help");
            }
            if (named != null && !isPermitted) {
                throw Message.USAGE.with("with --profiler nothing is recorded: leave out " + option.longestName()
                        + ", or record the program in another shell");
            }
        }
        if (named == null) {
            return Optional.empty();
        }
        ProfilerArgument jar = ProfilerArgument.of(named);
        return Optional.of(new LaunchRequest(
                jar.jar(), jar.className(), timeout, Acceptances.of(acceptLastingCost, acceptRemainingClasses)));
    }
}
