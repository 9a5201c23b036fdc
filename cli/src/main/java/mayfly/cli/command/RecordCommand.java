package mayfly.cli.command;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import mayfly.cli.option.DurationConverter;
import mayfly.cli.option.RecordingArguments;
import mayfly.cli.output.CommandFailed;
import mayfly.cli.output.ExitCode;
import mayfly.cli.output.Message;
import mayfly.cli.output.Terminal;
import mayfly.cli.recording.RecordingFlow;
import mayfly.discovery.ProcessList;
import mayfly.discovery.Refused;
import mayfly.discovery.RuntimeRow;
import mayfly.record.RecordingSession;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code mayfly record}. */
@Command(addMethodSubcommands = false)
final class RecordCommand implements Subcommand {
    @Option(names = {"-d", "--duration"}, paramLabel = "TIME", converter = DurationConverter.class,
            defaultValue = "30s", description = RecordingArguments.DURATION + " Default: ${DEFAULT-VALUE}.")
    Duration duration = Duration.ofSeconds(30);

    @Mixin
    RecordingArguments arguments = new RecordingArguments();

    @Parameters(paramLabel = "PID|NAME", description = "A process id, or a main class or jar, whole or in part.")
    String target = "";

    @Override
    public int run(Terminal terminal) throws CommandFailed, Refused {
        int pid = pidOf(target);
        try (var flow = RecordingFlow.open(arguments, terminal, duration, pid,
                (options, capture) -> RecordingSession.open(pid, options, capture))) {
            flow.run().print(terminal, arguments.quiet, arguments.json);
        }
        return ExitCode.DONE.code();
    }

    /** Returns the process id of a target. A number is always a process id; a name must match exactly one process. */
    static int pidOf(String target) throws CommandFailed, Refused {
        if (target.isBlank()) {
            throw Message.USAGE.with("the process id or name is empty");
        }
        if (target.matches("[0-9]{1,9}")) {
            return Integer.parseInt(target);
        }
        if (target.matches("[0-9]+")) {
            throw new Refused(Refused.Reason.NO_SUCH_PROCESS, "there is no process " + target,
                    "mayfly ps lists the JVMs");
        }
        List<String> advice = new ArrayList<>(List.of("mayfly ps lists the JVMs"));
        List<RuntimeRow> rows = ProcessList.match(target, advice::add);
        List<Integer> pids = rows.stream().map(RuntimeRow::pid).distinct().toList();
        return switch (pids.size()) {
            case 0 -> throw new Refused(Refused.Reason.NO_SUCH_PROCESS,
                    "no running JVM has '" + target + "' in its main class", String.join("\n", advice));
            case 1 -> pids.getFirst();
            default -> throw new Refused(Refused.Reason.AMBIGUOUS,
                    pids.size() + " JVMs have '" + target + "' in their main class; name one by its process id",
                    rows.stream().map(row -> row.pid() + "  " + row.mainClass()).distinct().limit(20)
                            .collect(Collectors.joining("\n")));
        };
    }
}
