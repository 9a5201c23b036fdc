package mayfly.cli.command;

import java.util.List;
import mayfly.cli.option.Definition;
import mayfly.cli.output.CommandFailed;
import mayfly.cli.output.ExitCode;
import mayfly.cli.output.Terminal;
import mayfly.discovery.Refused;

/** A command: its options and arguments, and its action after they are parsed. */
public interface Subcommand {

    /** Returns the options and arguments, in the order of the help. {@code --help} is not among them. */
    List<Definition> definitions();

    /**
     * Runs the command. Returns the exit status: an {@link ExitCode}, or that of the program that was run.
     *
     * @throws CommandFailed if the command fails
     * @throws Refused if the target cannot be opened
     */
    int run(Terminal terminal) throws CommandFailed, Refused;
}
