package mayfly.cli.command;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.channel.HostStatus;
import mayfly.attach.channel.HostStatuses;
import mayfly.attach.client.DetachMode;
import mayfly.attach.client.DetachOutcome;
import mayfly.attach.client.DetachRequest;
import mayfly.attach.client.DetachRequest.Collections;
import mayfly.attach.client.ProfilerClient;
import mayfly.cli.file.EventLog;
import mayfly.cli.option.Definition;
import mayfly.cli.option.DurationConverter;
import mayfly.cli.option.Flag;
import mayfly.cli.option.Option;
import mayfly.cli.option.RuntimeChoiceConverter;
import mayfly.cli.option.TargetArgument;
import mayfly.cli.output.CommandFailed;
import mayfly.cli.output.ExitCode;
import mayfly.cli.output.Message;
import mayfly.cli.output.Terminal;
import mayfly.discovery.Refused;
import mayfly.profile.RuntimeId;

/** {@code mayfly detach}. */
final class DetachCommand implements Subcommand {
    private final TargetArgument target = new TargetArgument();

    private final Option<RuntimeId.Choice> runtime = RuntimeChoiceConverter.ofProfilers();

    private final Option<Duration> timeout = Option.named("--timeout")
            .value("TIME", new DurationConverter())
            .byDefault("10s")
            .description("How long to wait until the profiler is unloaded; afterwards the detach continues, and"
                    + " another mayfly detach waits for it. Default: ${DEFAULT-VALUE}.");

    private final Flag noWait =
            new Flag("--no-wait", "Request the detach, and do not wait until the profiler is unloaded.");

    private final Flag force = new Flag(
            "--force",
            "Begin the detach without asking the profiler, in case it ignores the"
                    + " request or fails on it. The detach still waits for the profiler's callbacks and threads.");

    private final Flag collect = new Flag(
            "--collect",
            "Permit full garbage collections, however long they stop the program, and heap walks to find what retains"
                + " the profiler. Without it, if a full collection is estimated to take longer than 100 ms, the"
                + " profiler is unloaded by the program's next collection that unloads classes. A second mayfly detach"
                + " can have this option while the first one waits.");

    private final Option<String> reason = Option.named("--reason")
            .text("TEXT")
            .byDefault("mayfly detach")
            .description("The reason passed to the profiler. Default: ${DEFAULT-VALUE}.");

    private final Flag quiet = new Flag("-q", "--quiet", "Print only errors on stderr.");

    @Override
    public List<Definition> definitions() {
        return List.of(target, runtime, timeout, noWait, force, collect, reason, quiet);
    }

    @Override
    public int run(Terminal terminal) throws CommandFailed, Refused {
        int pid = target.pid();
        EventLog log = EventLog.of(terminal.environment());
        try {
            Map<AttachFailed, String> failures = new LinkedHashMap<>();
            for (Optional<RuntimeId.Choice> each : chosen(pid)) {
                try {
                    String done = detach(pid, each);
                    log.add(terminal, noWait.isSet() ? "detach-request" : "detach", pid, Status.OK, done);
                    if (!quiet.isSet()) {
                        terminal.err().println("mayfly: " + done);
                    }
                } catch (AttachFailed e) {
                    String line = each.map(choice -> choice + ": ").orElse("") + e.getMessage();
                    log.add(terminal, "detach", pid, e.status(), line);
                    failures.put(e, line);
                }
            }
            report(failures, terminal);
        } catch (AttachFailed e) {
            log.add(terminal, "detach", pid, e.status(), String.valueOf(e.getMessage()));
            throw Message.of(e);
        }
        return ExitCode.DONE.code();
    }

    /** Prints the failures except one, and throws that: of a profiler that remains attached, if there is one. */
    private static void report(Map<AttachFailed, String> failures, Terminal terminal) throws CommandFailed {
        Optional<AttachFailed> thrown = failures.keySet().stream()
                .filter(failure -> failure.status() != Status.NO_PROFILER)
                .findFirst()
                .or(() -> failures.keySet().stream().findFirst());
        if (thrown.isEmpty()) {
            return;
        }
        failures.remove(thrown.get());
        failures.values().forEach(line -> terminal.err().println("mayfly: " + line));
        throw Message.of(thrown.get());
    }

    /**
     * Returns the choice of a JVM for each detach: one, unless several were listed, or all were chosen and several have
     * a profiler. A host that has not received its profiler yet has no id to choose it by.
     */
    private List<Optional<RuntimeId.Choice>> chosen(int pid) throws AttachFailed {
        Optional<RuntimeId.Choice> chosen = Optional.ofNullable(runtime.orNull());
        if (chosen.isEmpty()) {
            return List.of(chosen);
        }
        if (!chosen.get().isAll()) {
            return named(pid, chosen.get().each());
        }
        HostStatuses statuses = ProfilerClient.statuses(pid);
        StatusCommand.requireKnown(pid, statuses);
        List<Optional<RuntimeId.Choice>> several = statuses.known().stream()
                .map(HostStatus::runtime)
                .filter(id -> !id.isEmpty())
                .distinct()
                .map(id -> Optional.of(new RuntimeId.Choice(id)))
                .toList();
        return several.size() < 2 ? List.of(Optional.empty()) : several;
    }

    /** Replaces the words of a list by the ids of the JVMs, because an id and a version may name the same one. */
    private static List<Optional<RuntimeId.Choice>> named(int pid, List<RuntimeId.Choice> words) throws AttachFailed {
        if (words.size() == 1) {
            return List.of(Optional.of(words.getFirst()));
        }
        Set<RuntimeId.Choice> chosen = new LinkedHashSet<>();
        for (RuntimeId.Choice word : words) {
            Optional<String> id = ProfilerClient.status(pid, Optional.of(word))
                    .map(HostStatus::runtime)
                    .filter(each -> !each.isEmpty());
            chosen.add(id.map(RuntimeId.Choice::new).orElse(word));
        }
        return chosen.stream().map(Optional::of).toList();
    }

    private String detach(int pid, Optional<RuntimeId.Choice> chosen) throws AttachFailed {
        var request = new DetachRequest(
                pid,
                force.isSet() ? DetachMode.FORCE : DetachMode.ASK,
                collect.isSet() ? Collections.ALWAYS : Collections.IF_SHORT,
                reason.value(),
                timeout.value(),
                chosen);
        String process = chosen.map(choice -> choice + " of ").orElse("") + "process " + pid;
        if (noWait.isSet()) {
            ProfilerClient.requestDetach(request);
            return "the profiler in " + process + (force.isSet() ? " is being detached" : " was asked to detach")
                    + "; mayfly status " + pid + " shows its state";
        }
        DetachOutcome gone = ProfilerClient.detach(request);
        String after = " " + process + " after " + gone.took().toMillis() + " ms; ";
        if (gone.remainingClasses()) {
            return "detached from" + after
                    + "only the profiler's classes remain, because this JVM never unloads classes";
        }
        if (gone.collections() == DetachOutcome.NOT_KNOWN) {
            return "detached from" + after + "the detach was already in progress";
        }
        if (gone.collections() == 0) {
            return "detached from" + after + "a garbage collection of the program confirmed the unloading";
        }
        return "detached from" + after
                + (gone.collections() == 1
                        ? "the garbage collection that confirmed the unloading took "
                        : gone.collections() + " garbage collections that confirmed the unloading took ")
                + gone.collecting().toMillis() + " ms";
    }
}
