package mayfly.cli.command;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.channel.HostStatus;
import mayfly.attach.client.AttachRequest;
import mayfly.attach.client.EmissionStream;
import mayfly.attach.client.ProfilerClient;
import mayfly.cli.file.EventLog;
import mayfly.cli.file.OutputFile;
import mayfly.cli.option.Acceptances;
import mayfly.cli.option.Definition;
import mayfly.cli.option.DurationConverter;
import mayfly.cli.option.Flag;
import mayfly.cli.option.Option;
import mayfly.cli.option.PathConverter;
import mayfly.cli.option.ProfilerArgument;
import mayfly.cli.option.RuntimeChoiceConverter;
import mayfly.cli.option.TargetArgument;
import mayfly.cli.output.CommandFailed;
import mayfly.cli.output.EmissionPrinter;
import mayfly.cli.output.ExitCode;
import mayfly.cli.output.Message;
import mayfly.cli.output.Terminal;
import mayfly.discovery.Refused;
import mayfly.profile.RuntimeId;

/** {@code mayfly attach}. */
final class AttachCommand implements Subcommand {
    private final TargetArgument target = new TargetArgument();

    private final Option<String> profiler = Option.named("--profiler")
            .text("JAR[=CLASS]")
            .required()
            .description("The profiler's jar, and its class unless the jar's manifest names it.");

    private final Option<String> data =
            Option.named("--data").text("TEXT").description("Data for the profiler's initialisation, as UTF-8.");

    private final Option<Path> dataFile = Option.named("--data-file")
            .value("FILE", new PathConverter())
            .description("The data, byte for byte from a file; at most 1 MiB.");

    private final Option<Duration> timeout = Option.named("--timeout")
            .value("TIME", new DurationConverter())
            .byDefault("10s")
            .description("Time limit until the profiler's initialisation has returned. Default: ${DEFAULT-VALUE}.");

    private final Option<RuntimeId.Choice> runtime = Option.named("--runtime")
            .value("ID|VERSION", new RuntimeChoiceConverter())
            .description("The JVM, if the process has several: r1, r2, ... as in mayfly ps, or its version or the"
                    + " beginning of it.");

    private final Flag acceptLastingCost = new Flag(
            "--accept-lasting-cost",
            "Permit JVMTI if the profiler needs it, even if that slows"
                    + " virtual threads for the rest of the JVM's life (JDK 21 and later).");

    private final Flag acceptRemainingClasses = new Flag(
            "--accept-remaining-classes",
            "Attach even if the JVM never unloads classes (-XX:-ClassUnloading, -XX:+UseEpsilonGC). The"
                    + " profiler's classes then remain loaded after its detach.");

    private final Flag follow = new Flag(
            "--follow",
            "After the attach, print the profiler's emissions, one line each, until"
                    + " it is detached. Ctrl-C ends only this command.");

    private final Flag lease =
            new Flag("--lease", "With --follow: detach the profiler when this command ends, even if it is killed.");

    private final Flag quiet = new Flag("-q", "--quiet", "Print only errors on stderr.");

    /** The text of the log entry written by a follower. */
    static final String GONE = "the profiler has been detached, by itself or by a command, or its process has ended";

    /**
     * The text of the log entry written by the host if neither a follower nor a detach command is there to write one.
     */
    private static final String GONE_UNSEEN = "the profiler has been detached, and no command waited for the detach";

    @Override
    public List<Definition> definitions() {
        return List.of(
                target,
                profiler,
                data,
                dataFile,
                timeout,
                runtime,
                acceptLastingCost,
                acceptRemainingClasses,
                follow,
                lease,
                quiet);
    }

    @Override
    public int run(Terminal terminal) throws CommandFailed, Refused {
        if (data.orNull() != null && dataFile.orNull() != null) {
            throw Message.USAGE.with("--data and --data-file exclude each other");
        }
        if (lease.isSet() && !follow.isSet()) {
            throw Message.USAGE.with("--lease needs --follow: the lease ends with the follower");
        }
        int pid = target.pid();
        ProfilerArgument named = ProfilerArgument.of(profiler.value());
        EventLog log = EventLog.of(terminal.environment());
        try {
            var request = new AttachRequest(
                    pid,
                    named.jar(),
                    named.className(),
                    bytes(),
                    timeout.value(),
                    Acceptances.of(acceptLastingCost.isSet(), acceptRemainingClasses.isSet()),
                    Optional.ofNullable(runtime.orNull()),
                    log.entryOfHost(pid, named.jar() + ": " + GONE_UNSEEN));
            String attached = "attached to process " + pid
                    + (lease.isSet() ? " for as long as this command runs" : "; mayfly detach " + pid + " detaches it");
            if (follow.isSet()) {
                follow(request, log, terminal, attached);
                return ExitCode.DONE.code();
            }
            logged(request, log, terminal, asked -> {
                ProfilerClient.attach(asked);
                return pid;
            });
            say(terminal, attached);
        } catch (AttachFailed e) {
            throw Message.of(e);
        }
        return ExitCode.DONE.code();
    }

    /**
     * Attaches the profiler and prints its emissions. With a lease, the profiler is also detached when this process
     * ends, even by a signal; this process does not wait for that detach.
     */
    private void follow(AttachRequest request, EventLog log, Terminal terminal, String attached) throws AttachFailed {
        var leased = new AtomicBoolean();
        if (lease.isSet()) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                if (leased.get()) {
                    log.add(terminal, "detach-request", request.pid(), Status.OK, "the lease has ended");
                }
            }));
        }
        EmissionStream.AtEnd atEnd =
                lease.isSet() ? EmissionStream.AtEnd.DETACH_PROFILER : EmissionStream.AtEnd.KEEP_PROFILER;
        try (EmissionStream following =
                logged(request, log, terminal, asked -> ProfilerClient.attachAndFollow(asked, atEnd))) {
            leased.set(lease.isSet());
            say(terminal, attached);
            if (EmissionPrinter.print(following, terminal)) {
                leased.set(false);
                log.add(terminal, "gone", request.pid(), Status.OK, GONE);
            }
        }
    }

    private void say(Terminal terminal, String words) {
        if (!quiet.isSet()) {
            terminal.err().println("mayfly: " + words);
        }
    }

    private interface Attach<T> {
        T run(AttachRequest request) throws AttachFailed;
    }

    private static <T> T logged(AttachRequest request, EventLog log, Terminal terminal, Attach<T> attach)
            throws AttachFailed {
        // Logged first, so that the log has an entry even if this command is killed before the outcome is known.
        log.add(
                terminal,
                "attach-request",
                request.pid(),
                Status.OK,
                request.jar().toString());
        try {
            T attached = attach.run(request);
            Optional<HostStatus> host = hostOf(request.pid());
            if (host.isPresent()) {
                log.addAttach(terminal, request.pid(), host.get(), request.jar().toString());
            } else {
                log.add(
                        terminal,
                        "attach",
                        request.pid(),
                        Status.OK,
                        request.jar().toString()); // already detached
            }
            return attached;
        } catch (AttachFailed e) {
            log.add(terminal, "attach", request.pid(), e.status(), request.jar() + ": " + e.getMessage());
            throw e;
        }
    }

    private static Optional<HostStatus> hostOf(int pid) {
        try {
            return ProfilerClient.status(pid);
        } catch (AttachFailed e) {
            return Optional.empty(); // the process has ended
        }
    }

    private Optional<byte[]> bytes() throws CommandFailed {
        Path file = dataFile.orNull();
        if (file == null) {
            return Optional.ofNullable(data.orNull()).map(text -> text.getBytes(StandardCharsets.UTF_8));
        }
        try (var in = Files.newInputStream(file)) {
            return Optional.of(in.readNBytes(AttachRequest.MAX_DATA + 1));
        } catch (IOException e) {
            throw Message.INPUT.with(file, OutputFile.reason(e));
        }
    }
}
