package mayfly.cli.command;

import mayfly.cli.output.CommandFailed;
import mayfly.cli.output.ExitCode;
import mayfly.cli.output.Terminal;
import mayfly.discovery.SessionRefused;

/** What a command does once its arguments are read. */
@FunctionalInterface
public interface Subcommand {

    /** The exit status: an {@link ExitCode}, or that of a program that was run. */
    int run(Terminal terminal) throws CommandFailed, SessionRefused;
}
