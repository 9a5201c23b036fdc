package mayfly.cli.command;

import java.util.ArrayList;
import java.util.List;
import mayfly.cli.help.HelpPage;
import mayfly.cli.option.Argument;
import mayfly.cli.option.Definition;
import mayfly.cli.option.TargetArgument;
import mayfly.cli.output.CommandFailed;
import mayfly.cli.output.ExitCode;
import mayfly.cli.output.Terminal;
import mayfly.cli.output.Text;
import mayfly.discovery.Check;
import mayfly.discovery.Doctor;
import mayfly.discovery.Refused;
import org.jspecify.annotations.Nullable;

/** {@code mayfly doctor}. */
final class DoctorCommand implements Subcommand {
    private static final String INDENT = " ".repeat(9);
    private static final int MIN_COLUMNS = 30;

    private final Argument<String> target = Argument.optional(0, "PID", "A process to be recorded, by id or name.");

    @Override
    public List<Definition> definitions() {
        return List.of(target);
    }

    @Override
    public int run(Terminal terminal) throws CommandFailed, Refused {
        String named = target.orNull();
        List<Check> checks = checks(named == null ? null : TargetArgument.pidOf(named));
        int room = terminal.outIsTerminal()
                ? Math.max(terminal.columns() - INDENT.length(), MIN_COLUMNS)
                : Integer.MAX_VALUE;
        for (Check check : checks) {
            List<String> lines = new ArrayList<>(
                    HelpPage.wrapped(Text.printable(check.name()) + ": " + Text.printable(check.finding()), room));
            terminal.out().println(mark(check.level(), terminal.outInColour()) + "  " + lines.removeFirst());
            check.fix().lines().forEach(line -> lines.addAll(HelpPage.wrapped(Text.printable(line), room)));
            lines.forEach(line -> terminal.out().println(INDENT + line));
        }
        boolean possible = checks.stream().noneMatch(check -> check.level() == Check.Level.FAILED);
        return (possible ? ExitCode.DONE : ExitCode.NOT_PERMITTED).code();
    }

    private static List<Check> checks(@Nullable Integer pid) throws Refused {
        List<Check> checks = new ArrayList<>(Doctor.checks(pid));
        if (pid != null && checks.stream().noneMatch(check -> check.level() == Check.Level.FAILED)) {
            checks.add(new Check("JVMTI", Check.Level.OK, JvmtiUsers.of(pid), ""));
        }
        return checks;
    }

    private static String mark(Check.Level level, boolean colour) {
        return switch (level) {
            case OK -> colour ? "\u001b[32mok     \u001b[0m" : "ok     ";
            case LIMITED -> colour ? "\u001b[33mlimited\u001b[0m" : "limited";
            case FAILED -> colour ? "\u001b[31mmissing\u001b[0m" : "missing";
        };
    }
}
