package mayfly.cli.help;

import java.util.List;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Completion for fish, see complete(1) of fish. */
public final class FishCompletion {
    private FishCompletion() {}

    /** Returns the script that completes these commands. */
    public static String script(List<? extends DescribedCommand> commands) {
        var script = new StringBuilder("# Completion of mayfly for fish: mayfly completion fish | source\n");
        script.append("function __mayfly_jvms; ").append(Completion.JVMS).append("; end\n");
        script.append("complete -c mayfly -f\n");
        for (DescribedCommand command : commands) {
            script.append("complete -c mayfly -n __fish_use_subcommand -a ")
                    .append(command.word())
                    .append(" -d '")
                    .append(Completion.sentence(command.summary()))
                    .append("'\n");
        }
        script.append("complete -c mayfly -n __fish_use_subcommand -a help -d 'Show how a command is used'\n");
        script.append("complete -c mayfly -n '__fish_seen_subcommand_from help' -a '")
                .append(Completion.words(commands))
                .append("'\n");
        for (DescribedCommand command : commands) {
            CommandSpec spec = Completion.spec(command);
            String start = "complete -c mayfly -n '__fish_seen_subcommand_from " + command.word() + "'";
            spec.options()
                    .forEach(option -> script.append(start)
                            .append(names(option))
                            .append(Completion.takesValue(option) ? " -r" + arguments(option) : "")
                            .append(" -d '")
                            .append(Completion.sentence(HelpPage.description(option)))
                            .append("'\n"));
            spec.positionalParameters()
                    .forEach(
                            each -> script.append(start).append(arguments(each)).append('\n'));
        }
        return script.toString();
    }

    private static String names(OptionSpec option) {
        var names = new StringBuilder();
        for (String name : option.names()) {
            names.append(name.startsWith("--") ? " -l " + name.substring(2) : " -s " + name.substring(1));
        }
        return names.toString();
    }

    private static String arguments(ArgSpec argument) {
        return switch (Completion.of(argument)) {
            case Completion.Words some -> " -f -a '" + String.join(" ", some.words()) + "'";
            case Completion.Jvm _ -> " -f -a '(__mayfly_jvms)'";
            case Completion.File _ -> " -F";
            case Completion.Program _ -> " -f -a '(__fish_complete_command)'";
            case Completion.Text _ -> " -f";
        };
    }
}
