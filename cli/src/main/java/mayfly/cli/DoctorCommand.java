package mayfly.cli;

import java.util.List;
import mayfly.sampler.Check;
import mayfly.sampler.Doctor;
import mayfly.sampler.SessionRefused;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code mayfly doctor}. */
@Command
final class DoctorCommand implements Subcommand {
    @Parameters(paramLabel = "PID", arity = "0..1", description = "A process to be recorded, by id or name.")
    @Nullable String target;

    @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this help.")
    boolean help;

    @Override
    public int run(Terminal terminal) throws CommandFailed, SessionRefused {
        List<Check> checks = Doctor.checks(target == null ? null : RecordCommand.pidOf(target));
        for (Check check : checks) {
            terminal.out().println(mark(check.level(), terminal.outInColour()) + "  " + Text.printable(check.name())
                    + ": " + Text.printable(check.finding()));
            check.fix().lines().forEach(line -> terminal.out().println("         " + Text.printable(line)));
        }
        boolean possible = checks.stream().noneMatch(check -> check.level() == Check.Level.FAILED);
        return (possible ? ExitCode.DONE : ExitCode.NOT_PERMITTED).code();
    }

    private static String mark(Check.Level level, boolean colour) {
        return switch (level) {
            case OK -> colour ? "\u001b[32mok     \u001b[0m" : "ok     ";
            case LIMITED -> colour ? "\u001b[33mlimited\u001b[0m" : "limited";
            case FAILED -> colour ? "\u001b[31mmissing\u001b[0m" : "missing";
        };
    }
}
