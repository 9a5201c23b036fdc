package mayfly.cli.command;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.client.AttachRequest;
import mayfly.attach.client.EmissionStream;
import mayfly.attach.client.ProfilerGroup;
import mayfly.attach.client.ProfilerJar.ApiPolicy;
import mayfly.cli.file.EventLog;
import mayfly.cli.file.OutputFile;
import mayfly.cli.option.Definition;
import mayfly.cli.option.DurationConverter;
import mayfly.cli.option.Flag;
import mayfly.cli.option.Option;
import mayfly.cli.option.PathConverter;
import mayfly.cli.option.RuntimeChoiceConverter;
import mayfly.cli.option.TargetArgument;
import mayfly.cli.option.profiler.Acceptances;
import mayfly.cli.option.profiler.ApiPolicyConverter;
import mayfly.cli.option.profiler.ProfilerArgument;
import mayfly.cli.output.CommandFailed;
import mayfly.cli.output.EmissionPrinter;
import mayfly.cli.output.ExitCode;
import mayfly.cli.output.Message;
import mayfly.cli.output.Terminal;
import mayfly.discovery.Refused;
import mayfly.profile.RuntimeId;
import mayfly.report.json.Json;

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
            .value(RuntimeChoiceConverter.SEVERAL, new RuntimeChoiceConverter(true))
            .description("The JVM, if the process has several: r1, r2, ... as in mayfly ps, or its version or the"
                    + " beginning of it; several, separated by commas; all: each of them. Default: the"
                    + " profiler's manifest decides, if it declares Mayfly-Runtimes as first or many.");

    private final Option<ApiPolicy> api = ApiPolicyConverter.option();

    private final Flag acceptLastingCost = new Flag(
            "--accept-lasting-cost",
            "Permit JVMTI if the profiler needs it, even if that slows"
                    + " virtual threads for the rest of the JVM's life (JDK 21 and later). Not needed for an event"
                    + " that only JVMTI has, where another user of JVMTI has slowed them already.");

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

    private final Flag json = new Flag(
            "--json",
            "Print one JSON object with the JVMs to which the profiler is attached, see docs/formats/attach-json.md."
                    + " Not with --follow.");

    private final Flag quiet = new Flag("-q", "--quiet", "Print only errors on stderr.");

    /**
     * The text of the log entry written by the host if neither a follower nor a detach command is there to write one.
     */
    private static final String GONE_UNSEEN = "the profiler has been detached, and no command waited for the detach";

    private static final String JVMTI_PERMITTED =
            ": JVMTI is permitted without --accept-lasting-cost: another user of JVMTI has slowed virtual threads of"
                    + " this JVM already";

    @Override
    public List<Definition> definitions() {
        return List.of(
                target,
                profiler,
                data,
                dataFile,
                timeout,
                runtime,
                api,
                acceptLastingCost,
                acceptRemainingClasses,
                follow,
                lease,
                json,
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
        if (follow.isSet() && json.isSet()) {
            throw Message.USAGE.with("--follow and --json exclude each other");
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
                    api.value(),
                    log.entryOfHost(pid, named.jar() + ": " + GONE_UNSEEN),
                    jvm -> say(terminal, jvm + JVMTI_PERMITTED));
            var attach = new LoggedAttach(log, terminal);
            Optional<List<RuntimeId>> several = attach.runtimes(request);
            if (several.isPresent()) {
                return toEach(several.get(), request, attach, terminal);
            }
            String attached = "attached to process " + pid
                    + (lease.isSet() ? " for as long as this command runs" : "; mayfly detach " + pid + " detaches it");
            if (follow.isSet()) {
                follow(request, attach, terminal, attached);
                return ExitCode.DONE.code();
            }
            RuntimeId only = attach.attach(request);
            say(terminal, attached);
            print(terminal, pid, List.of(only));
        } catch (AttachFailed e) {
            throw Message.of(e);
        }
        return ExitCode.DONE.code();
    }

    /** Attaches the profiler and prints its emissions. */
    private void follow(AttachRequest request, LoggedAttach attach, Terminal terminal, String attached)
            throws AttachFailed {
        try (EmissionStream following = attach.attachAndFollow(request, atEnd())) {
            say(terminal, attached);
            if (EmissionPrinter.print(following, terminal)) {
                attach.gone(request.pid());
            }
        }
    }

    private EmissionStream.AtEnd atEnd() {
        return lease.isSet() ? EmissionStream.AtEnd.DETACH_PROFILER : EmissionStream.AtEnd.KEEP_PROFILER;
    }

    /**
     * Attaches the profiler to each of several JVMs, one after the other, and prints the emissions of all. A failure in
     * one JVM does not prevent the attach to the others.
     */
    private int toEach(List<RuntimeId> runtimes, AttachRequest request, LoggedAttach attach, Terminal terminal)
            throws AttachFailed {
        List<RuntimeId> attached = new ArrayList<>();
        Map<RuntimeId, AttachFailed> failures = new LinkedHashMap<>();
        try (var group = new ProfilerGroup()) {
            for (RuntimeId runtime : runtimes) {
                AttachRequest one = request.on(Optional.of(new RuntimeId.Choice(runtime.toString())));
                try {
                    if (follow.isSet()) {
                        group.add(runtime, attach.attachAndFollow(one, atEnd()));
                    } else {
                        var unused = attach.attach(one);
                    }
                    attached.add(runtime);
                } catch (AttachFailed e) {
                    failures.put(runtime, e);
                    if (follow.isSet()) {
                        // The command's own message comes only when the emissions have ended.
                        terminal.err().println("mayfly: not attached to " + runtime + ": " + e.getMessage());
                    }
                }
            }
            if (!attached.isEmpty()) {
                say(terminal, "attached to " + words(attached) + " of process " + request.pid());
                print(terminal, request.pid(), attached);
            }
            if (group.size() > 0 && EmissionPrinter.print(group, terminal)) {
                attach.gone(request.pid());
            }
        }
        if (!failures.isEmpty()) {
            throw failure(attached, failures);
        }
        return ExitCode.DONE.code();
    }

    /** Returns one failure for all: the first one's status, and the message of each. */
    private static AttachFailed failure(List<RuntimeId> attached, Map<RuntimeId, AttachFailed> failures) {
        AttachFailed first = failures.values().iterator().next();
        if (attached.isEmpty() && failures.size() == 1) {
            return first;
        }
        String messages = failures.entrySet().stream()
                .map(each -> each.getKey() + ": " + each.getValue().getMessage())
                .collect(Collectors.joining("; "));
        return new AttachFailed(
                first.status(),
                attached.isEmpty() ? messages : "attached to " + words(attached) + " only; " + messages,
                first.detail());
    }

    private static String words(List<RuntimeId> runtimes) {
        return runtimes.stream().map(RuntimeId::toString).collect(Collectors.joining(", "));
    }

    private void print(Terminal terminal, int pid, List<RuntimeId> attached) {
        if (json.isSet()) {
            terminal.out().println(json(pid, attached));
        }
    }

    static String json(int pid, List<RuntimeId> attached) {
        var object =
                new Json().beginObject().name("pid").value(pid).name("runtimes").beginArray();
        attached.forEach(runtime -> object.value(runtime.toString()));
        return object.endArray().endObject().toString();
    }

    private void say(Terminal terminal, String words) {
        if (!quiet.isSet()) {
            terminal.err().println("mayfly: " + words);
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
