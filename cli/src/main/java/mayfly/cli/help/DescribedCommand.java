package mayfly.cli.help;

import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** A command as the help and the completion scripts describe it. */
public interface DescribedCommand {
    /** The word on the command line. */
    String word();

    /** What the command does, in one line without a full stop. */
    String summary();

    /** One line that shows how the command is written. */
    String synopsis(CommandSpec spec);

    /** A parser of its arguments. */
    CommandLine parser();
}
