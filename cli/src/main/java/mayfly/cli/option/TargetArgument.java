package mayfly.cli.option;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import mayfly.cli.output.CommandFailed;
import mayfly.cli.output.Message;
import mayfly.discovery.ProcessList;
import mayfly.discovery.Refused;
import mayfly.discovery.RuntimeRow;
import picocli.CommandLine.Model.CommandSpec;

/** The process that a command inspects. */
public final class TargetArgument implements Definition {
    private static final String ADVICE = "mayfly ps lists the JVMs";

    private final Argument<String> target =
            Argument.text(0, "PID|NAME", "A process id, or a main class or jar, whole or in part.");

    @Override
    public void addTo(CommandSpec command) {
        target.addTo(command);
    }

    /**
     * Returns the process id of the target.
     *
     * @throws CommandFailed if the argument is empty
     * @throws Refused if there is no such process, or several match the name
     */
    public int pid() throws CommandFailed, Refused {
        return pidOf(target.value());
    }

    /**
     * Returns the process id of a target. A number is always a process id; a name must match exactly one process.
     *
     * @throws CommandFailed if the argument is empty
     * @throws Refused if there is no such process, or several match the name
     */
    public static int pidOf(String target) throws CommandFailed, Refused {
        if (target.isBlank()) {
            throw Message.USAGE.with("the process id or name is empty");
        }
        if (target.matches("[0-9]{1,9}")) {
            return Integer.parseInt(target);
        }
        if (target.matches("[0-9]+")) {
            throw new Refused(Refused.Reason.NO_SUCH_PROCESS, "there is no process " + target, ADVICE);
        }
        List<String> advice = new ArrayList<>(List.of(ADVICE));
        List<RuntimeRow> rows = ProcessList.match(target, advice::add);
        List<Integer> pids = rows.stream().map(RuntimeRow::pid).distinct().toList();
        return switch (pids.size()) {
            case 0 ->
                throw new Refused(
                        Refused.Reason.NO_SUCH_PROCESS,
                        "no running JVM has '" + target + "' in its main class",
                        String.join("\n", advice));
            case 1 -> pids.getFirst();
            default ->
                throw new Refused(
                        Refused.Reason.AMBIGUOUS,
                        pids.size() + " JVMs have '" + target + "' in their main class; name one by its process id",
                        rows.stream()
                                .map(row -> row.pid() + "  " + row.mainClass())
                                .distinct()
                                .limit(20)
                                .collect(Collectors.joining("\n")));
        };
    }
}
