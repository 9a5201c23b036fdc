/**
 * The commands, one class for each.
 *
 * <p>Arguments come in, parsed by picocli; an exit code goes out. The fields of a class are its options and arguments.
 * {@link Command} is the table of the commands: word, summary and class. Start reading there, then at {@link
 * Subcommand}, which each class implements, and at a short one such as {@link PsCommand}. Options that several commands
 * have are in {@link mayfly.cli.option}. A new command is a class and a row; the help, the completion and docs/cli.md
 * are generated from it.
 *
 * <p>A command that fails throws {@link mayfly.cli.output.CommandFailed} or {@link mayfly.discovery.Refused}; it does
 * not end the process itself. It prints through the {@link mayfly.cli.output.Terminal} that it receives, so that a test
 * can run it. Only the class of the command in use is loaded, because loading all of them would delay the start.
 */
@org.jspecify.annotations.NullMarked
package mayfly.cli.command;
