/**
 * The command line: the entry points of the program, and the programs that the build runs.
 *
 * <p>Start reading at {@link Main}: it finds the {@link mayfly.cli.command.Command}, parses its arguments and runs it.
 * Results go to standard output and everything else to standard error, through {@link mayfly.cli.output.Terminal}. The
 * other packages are {@code command} with one class for each command, {@code option} for arguments, {@code recording},
 * {@code output} and {@code file} for results, {@code help}, {@code demo} and {@code launcher}. {@link ManPages} and
 * {@link Training} run while the archive is made.
 *
 * <p>Only this module prints and has exit codes. A command that fails throws an exception, which {@link Main} turns
 * into lines on standard error and a {@link mayfly.cli.output.ExitCode}. Text from a target is escaped before it is
 * printed.
 */
@org.jspecify.annotations.NullMarked
package mayfly.cli;
