package mayfly.cli.command;

import java.util.List;
import mayfly.cli.help.BashCompletion;
import mayfly.cli.help.FishCompletion;
import mayfly.cli.help.ZshCompletion;
import mayfly.cli.output.CommandFailed;
import mayfly.cli.output.ExitCode;
import mayfly.cli.output.Message;
import mayfly.cli.output.Terminal;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code mayfly completion}. */
@CommandLine.Command(addMethodSubcommands = false)
final class CompletionCommand implements Subcommand {
    @Parameters(
            paramLabel = "bash|zsh|fish",
            description = "The shell. In bash: source <(mayfly completion bash). In zsh, in a folder of $fpath: mayfly"
                    + " completion zsh >_mayfly. In fish: mayfly completion fish | source.")
    String shell = "";

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    boolean help;

    @Override
    public int run(Terminal terminal) throws CommandFailed {
        List<Command> commands = List.of(Command.values());
        terminal.out()
                .print(
                        switch (shell) {
                            case "bash" -> BashCompletion.script(commands);
                            case "zsh" -> ZshCompletion.script(commands);
                            case "fish" -> FishCompletion.script(commands);
                            default ->
                                throw Message.USAGE.with(
                                        "there is no completion for '" + shell + "'; use bash, zsh or fish");
                        });
        return ExitCode.DONE.code();
    }
}
