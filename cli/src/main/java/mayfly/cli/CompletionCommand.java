package mayfly.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code mayfly completion}. */
@Command
final class CompletionCommand implements Subcommand {
    @Parameters(paramLabel = "bash|zsh|fish", description = "The shell. In bash: source <(mayfly completion bash). In zsh,"
            + " in a folder of $fpath: mayfly completion zsh >_mayfly. In fish: mayfly completion fish | source.")
    String shell = "";

    @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this help.")
    boolean help;

    @Override
    public int run(Terminal terminal) throws CommandFailed {
        terminal.out().print(switch (shell) {
            case "bash" -> BashCompletion.script();
            case "zsh" -> ZshCompletion.script();
            case "fish" -> FishCompletion.script();
            default -> throw Message.USAGE.with("'" + shell + "' is not a shell with a completion; use bash, zsh or fish");
        });
        return ExitCode.DONE.code();
    }
}
