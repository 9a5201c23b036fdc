package mayfly.cli.help;

import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** A command as the help and the completion scripts describe it. */
public interface DescribedCommand {
    /** Returns the word on the command line. */
    String word();

    /** Returns a summary of the command, one line without a full stop. */
    String summary();

    /** Returns the synopsis, one line. */
    String synopsis(CommandSpec spec);

    /** Returns a parser of its arguments. */
    CommandLine parser();
}
