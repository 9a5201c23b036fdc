package mayfly.cli;

import mayfly.discovery.SessionRefused;

/** What a command does once its arguments are read. */
@FunctionalInterface
interface Subcommand {

    /** The exit status: an {@link ExitCode}, or that of a program that was run. */
    int run(Terminal terminal) throws CommandFailed, SessionRefused;
}
