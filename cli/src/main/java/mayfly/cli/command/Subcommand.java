package mayfly.cli.command;

import mayfly.cli.output.CommandFailed;
import mayfly.cli.output.ExitCode;
import mayfly.cli.output.Terminal;
import mayfly.discovery.Refused;

/** The action of a command after its arguments are parsed. */
@FunctionalInterface
public interface Subcommand {

    /**
     * Runs the command. Returns the exit status: an {@link ExitCode}, or that of the program that was run.
     *
     * @throws CommandFailed if the command fails
     * @throws Refused if the target cannot be opened
     */
    int run(Terminal terminal) throws CommandFailed, Refused;
}
