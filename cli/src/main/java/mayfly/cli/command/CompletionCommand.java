package mayfly.cli.command;

import java.util.List;
import mayfly.cli.help.BashCompletion;
import mayfly.cli.help.FishCompletion;
import mayfly.cli.help.ZshCompletion;
import mayfly.cli.option.Argument;
import mayfly.cli.option.Definition;
import mayfly.cli.output.CommandFailed;
import mayfly.cli.output.ExitCode;
import mayfly.cli.output.Message;
import mayfly.cli.output.Terminal;

/** {@code mayfly completion}. */
final class CompletionCommand implements Subcommand {
    private final Argument<String> shell = Argument.text(
            0,
            "bash|zsh|fish",
            "The shell. In bash: source <(mayfly completion bash). In zsh, in a folder of $fpath: mayfly"
                    + " completion zsh >_mayfly. In fish: mayfly completion fish | source.");

    @Override
    public List<Definition> definitions() {
        return List.of(shell);
    }

    @Override
    public int run(Terminal terminal) throws CommandFailed {
        List<Command> commands = List.of(Command.values());
        terminal.out()
                .print(
                        switch (shell.value()) {
                            case "bash" -> BashCompletion.script(commands);
                            case "zsh" -> ZshCompletion.script(commands);
                            case "fish" -> FishCompletion.script(commands);
                            default ->
                                throw Message.USAGE.with(
                                        "there is no completion for '" + shell.value() + "'; use bash, zsh or fish");
                        });
        return ExitCode.DONE.code();
    }
}
