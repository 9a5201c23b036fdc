package mayfly.cli.command;

import java.io.PrintStream;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.channel.HostStatus;
import mayfly.attach.channel.HostStatuses;
import mayfly.attach.client.EmissionStream;
import mayfly.attach.client.ProfilerClient;
import mayfly.cli.file.EventLog;
import mayfly.cli.option.Definition;
import mayfly.cli.option.Flag;
import mayfly.cli.option.Option;
import mayfly.cli.option.RuntimeChoiceConverter;
import mayfly.cli.option.TargetArgument;
import mayfly.cli.output.CommandFailed;
import mayfly.cli.output.EmissionPrinter;
import mayfly.cli.output.ExitCode;
import mayfly.cli.output.Message;
import mayfly.cli.output.Terminal;
import mayfly.cli.output.Text;
import mayfly.discovery.Refused;
import mayfly.profile.RuntimeId;
import mayfly.report.json.Json;

/** {@code mayfly status}. */
final class StatusCommand implements Subcommand {
    /** The prefix of a path of references, as the host reports it. */
    private static final String REFERENCED = "referenced by ";

    private static final Duration FOLLOW_TIMEOUT = Duration.ofSeconds(10);

    private final TargetArgument target = new TargetArgument();

    private final Option<RuntimeId.Choice> runtime = RuntimeChoiceConverter.ofProfilers();

    private final Flag json =
            new Flag("--json", "Print one JSON object for each attached profiler, see docs/formats/status-json.md.");

    private final Flag follow = new Flag(
            "--follow",
            "After the status, print the profiler's emissions, one line each, until it is detached:"
                    + " first those emitted without a follower, at most 1 MiB. Ctrl-C ends only this command. Not with"
                    + " --json.");

    @Override
    public List<Definition> definitions() {
        return List.of(target, runtime, json, follow);
    }

    @Override
    public int run(Terminal terminal) throws CommandFailed, Refused {
        if (follow.isSet() && json.isSet()) {
            throw Message.USAGE.with("--follow and --json exclude each other");
        }
        int pid = target.pid();
        try {
            Optional<RuntimeId.Choice> chosen =
                    Optional.ofNullable(runtime.orNull()).filter(choice -> !choice.isAll());
            HostStatuses statuses = chosen.isEmpty() ? ProfilerClient.statuses(pid) : statuses(pid, chosen.get());
            List<HostStatus> all = statuses.known();
            EventLog log = EventLog.of(terminal.environment());
            for (HostStatus host : all) {
                if (!host.state().equals("initializing")) {
                    log.addAttach(terminal, pid, host, host.profiler() + ": its trigger has not logged the attach");
                }
            }
            if (!follow.isSet()) {
                print(pid, statuses, terminal.out());
                if (!json.isSet()) {
                    terminal.out().println("  JVMTI: " + Text.printable(JvmtiUsers.of(pid)));
                }
                return ExitCode.DONE.code();
            }
            try (EmissionStream following = ProfilerClient.follow(pid, chosen, FOLLOW_TIMEOUT)) {
                // Standard output is the profiler's. The state also shows a reader that the emissions are followed now.
                print(pid, statuses, terminal.err());
                if (EmissionPrinter.print(following, terminal)) {
                    log.add(terminal, "gone", pid, Status.OK, LoggedAttach.GONE);
                }
            }
        } catch (AttachFailed e) {
            throw Message.of(e);
        }
        return ExitCode.DONE.code();
    }

    private static HostStatuses statuses(int pid, RuntimeId.Choice chosen) throws AttachFailed {
        // An id and a version of a list may name the same JVM.
        Map<String, HostStatus> all = new LinkedHashMap<>();
        for (RuntimeId.Choice each : chosen.each()) {
            ProfilerClient.status(pid, Optional.of(each)).ifPresent(status -> all.put(status.runtime(), status));
        }
        return new HostStatuses(List.copyOf(all.values()), List.of());
    }

    private void print(int pid, HostStatuses statuses, PrintStream out) throws AttachFailed {
        if (statuses.known().isEmpty() && statuses.unknown().isEmpty()) {
            print(pid, Optional.empty(), out);
        }
        statuses.known().forEach(each -> print(pid, Optional.of(each), out));
        requireKnown(pid, statuses);
    }

    /**
     * Requires that the state of each profiler can be read.
     *
     * @throws AttachFailed if it cannot
     */
    static void requireKnown(int pid, HostStatuses statuses) throws AttachFailed {
        if (!statuses.unknown().isEmpty()) {
            throw new AttachFailed(
                    Status.FAILED, "process " + pid + ": " + statuses.unknown().getFirst());
        }
    }

    private void print(int pid, Optional<HostStatus> attached, PrintStream out) {
        out.println(json.isSet() ? json(pid, attached) : text(pid, attached));
    }

    static String text(int pid, Optional<HostStatus> attached) {
        if (attached.isEmpty()) {
            return "process " + pid + ": no profiler is attached";
        }
        HostStatus status = attached.get();
        var text = new StringBuilder("process " + pid + ": " + Text.printable(status.profiler()) + " is "
                + status.state()
                + (status.overdue() ? " and overdue" : "") + "; attached "
                + (status.runtime().isEmpty() ? "" : "to " + status.runtime() + " ")
                + Text.seconds(status.attached().toNanos())
                + " ago"
                + (status.jvmti() ? ", with JVMTI" : ", without JVMTI"));
        if (status.remainingClasses()) {
            text.append("\n  its classes will remain after the detach: this JVM never unloads any");
        }
        if (status.state().equals("detaching")
                && status.pinnedBy().isEmpty()
                && status.longest().isEmpty()) {
            text.append("\n  the host is working, or is waiting for a garbage collection that shows whether anything"
                    + " retains the profiler");
        }
        if (!status.pinnedBy().isEmpty()) {
            text.append(status.pinnedBy().startsWith(REFERENCED) ? "\n  " : "\n  pinned by ")
                    .append(Text.printable(status.pinnedBy()));
        }
        if (!status.longest().isEmpty()) {
            // callbacks() excludes calls by the host's own thread: it is 0 if only such a call is running.
            text.append(
                            status.callbacks() > 1
                                    ? "\n  " + status.callbacks() + " callbacks are running; the longest: "
                                    : "\n  1 callback is running: ")
                    .append(Text.printable(status.longest()));
        }
        if (status.lost() > 0) {
            text.append("\n  ")
                    .append(Text.count(status.lost()))
                    .append(status.lost() == 1 ? " event was lost: events" : " events were lost: they")
                    .append(" came faster than the host's thread delivered them");
        }
        if (status.thrown() > 0) {
            text.append("\n  ")
                    .append(Text.count(status.thrown()))
                    .append(status.thrown() == 1 ? " callback" : " callbacks")
                    .append(" threw an exception, which the host did not pass on to the application");
        }
        if (status.collections() > 0) {
            text.append("\n  ")
                    .append(Text.count(status.collections()))
                    .append(status.collections() == 1 ? " garbage collection was" : " garbage collections were")
                    .append(" requested to make room for large requests, and took ")
                    .append(status.collecting().toMillis())
                    .append(" ms");
        }
        if (status.framesOfReplacedCode() > 0) {
            text.append("\n  ")
                    .append(Text.count(status.framesOfReplacedCode()))
                    .append(status.framesOfReplacedCode() == 1 ? " frame" : " frames")
                    .append(" still ran replaced code when the host last counted them");
        }
        if (status.unmarkedRedefinitions() > 0) {
            text.append("\n  ")
                    .append(Text.count(status.unmarkedRedefinitions()))
                    .append(status.unmarkedRedefinitions() == 1 ? " change" : " changes")
                    .append(" of classes for probes could not be recorded: an audit takes them for another agent's");
        }
        return text.toString();
    }

    static String json(int pid, Optional<HostStatus> attached) {
        var json =
                new Json().beginObject().name("pid").value(pid).name("attached").value(attached.isPresent());
        attached.ifPresent(status -> json.name("profiler")
                .value(status.profiler())
                .name("state")
                .value(status.state())
                .name("overdue")
                .value(status.overdue())
                .name("runtime")
                .value(status.runtime())
                .name("library")
                .value("0x" + Long.toHexString(status.library()))
                .name("attachedMillis")
                .value(status.attached().toMillis())
                .name("jvmti")
                .value(status.jvmti())
                .name("remainingClasses")
                .value(status.remainingClasses())
                .name("callbacks")
                .value(status.callbacks())
                .name("longest")
                .value(status.longest())
                .name("lostEvents")
                .value(status.lost())
                .name("thrown")
                .value(status.thrown())
                .name("collections")
                .value(status.collections())
                .name("collectingMillis")
                .value(status.collecting().toMillis())
                .name("framesOfReplacedCode")
                .value(status.framesOfReplacedCode())
                .name("unmarkedRedefinitions")
                .value(status.unmarkedRedefinitions())
                .name("pinnedBy")
                .value(status.pinnedBy()));
        return json.endObject().toString();
    }
}
