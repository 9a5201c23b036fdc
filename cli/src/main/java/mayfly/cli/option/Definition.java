package mayfly.cli.option;

import picocli.CommandLine.Model.CommandSpec;

/**
 * An option or an argument of a command, or several of them that commands share.
 *
 * <p>They are defined in code and not by picocli's annotations: the JVM generates a proxy class for each kind of
 * annotation at every start, which takes longer than to parse the command line.
 */
public interface Definition {
    /** Adds the options and arguments to a command. Their values are those of its last command line. */
    void addTo(CommandSpec command);
}
