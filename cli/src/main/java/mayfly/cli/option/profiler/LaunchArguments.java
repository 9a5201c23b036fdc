package mayfly.cli.option.profiler;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import mayfly.attach.client.ProfilerJar.ApiPolicy;
import mayfly.attach.launch.LaunchRequest;
import mayfly.cli.option.Definition;
import mayfly.cli.option.DurationConverter;
import mayfly.cli.option.Flag;
import mayfly.cli.option.Option;
import mayfly.cli.option.PathConverter;
import mayfly.cli.output.CommandFailed;
import mayfly.cli.output.Message;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** Options of {@code run} for starting a program's JVMs with a profiler. */
public final class LaunchArguments implements Definition {
    /** Options permitted with {@code --profiler}; all other options of {@code run} apply to a recording. */
    private static final Set<String> WITH_PROFILER = Set.of(
            "--profiler",
            "--timeout",
            "--java",
            "--api",
            "--accept-lasting-cost",
            "--accept-remaining-classes",
            "--preload",
            "--print-environment",
            "--quiet");

    private final Option<String> profiler = Option.named("--profiler")
            .text("JAR[=CLASS]")
            .description("Do not record: start the program's JVMs (not those that they start) with this profiler,"
                    + " initialised before main runs. If its manifest declares Mayfly-Runtimes as many, or with"
                    + " --java, all JVMs of a process get it, and those that they start. send, status and detach"
                    + " work as after attach.");
    private final Option<Duration> timeout = Option.named("--timeout")
            .value("TIME", new DurationConverter())
            .byDefault("10s")
            .description("With --profiler: how long main waits for the profiler. Default: ${DEFAULT-VALUE}.");
    private final Option<Set<Integer>> java = Option.named("--java")
            .value("VERSION,...", new JavaVersionsConverter())
            .description("With --profiler: start the profiler only in JVMs of these versions of Java, such as 17 or"
                    + " 17,25. JVMs that these start get it too.");
    private final Option<ApiPolicy> api = ApiPolicyConverter.option("With --profiler: which");
    private final Flag acceptLastingCost = new Flag(
            "--accept-lasting-cost",
            "With --profiler: start the profiler even if it slows"
                    + " virtual threads for the rest of the JVM's life (JDK 21 and later).");
    private final Flag acceptRemainingClasses = new Flag(
            "--accept-remaining-classes",
            "With --profiler: start the profiler even if the JVM never unloads"
                    + " classes. Its classes then remain loaded after its detach.");
    private final Flag preload = new Flag(
            "--preload",
            "With --profiler: name the files by LD_PRELOAD, not by JAVA_TOOL_OPTIONS. A JVM that cannot open them, for"
                    + " example in another root directory, then starts without the profiler. Otherwise it ends.");
    private final Option<Path> folder = Option.named("--print-environment")
            .value("FOLDER", new PathConverter())
            .description("With --profiler, for a program that is started in another way: put the files that its JVM"
                    + " needs into this folder, print the environment variable that refers to it, and start nothing.");

    private @Nullable CommandSpec command;

    @Override
    public void addTo(CommandSpec command) {
        this.command = command;
        profiler.addTo(command);
        timeout.addTo(command);
        java.addTo(command);
        api.addTo(command);
        acceptLastingCost.addTo(command);
        acceptRemainingClasses.addTo(command);
        preload.addTo(command);
        folder.addTo(command);
    }

    /** Returns true if the files are to be named by {@code LD_PRELOAD}. */
    public boolean isPreload() {
        return preload.isSet();
    }

    /** Returns the folder for the files of a program that is started in another way; null if none was named. */
    public @Nullable Path folder() {
        return folder.orNull();
    }

    /**
     * Returns the request if a profiler was requested.
     *
     * @throws CommandFailed if an option does not apply to it
     */
    public Optional<LaunchRequest> request() throws CommandFailed {
        String named = profiler.orNull();
        ParseResult parsed = Objects.requireNonNull(command).commandLine().getParseResult();
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
                jar.jar(),
                jar.className(),
                timeout.value(),
                Acceptances.of(acceptLastingCost.isSet(), acceptRemainingClasses.isSet()),
                api.value(),
                Objects.requireNonNullElse(java.orNull(), Set.of())));
    }
}
