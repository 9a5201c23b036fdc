package mayfly.cli.help;

import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** Completion for zsh, see _arguments in zshcompsys(1). */
public final class ZshCompletion {
    private static final String START = """
        #compdef mayfly
        # Completion of mayfly for zsh: mayfly completion zsh >_mayfly, in a folder of $fpath
        _mayfly_jvms() {
            local -a jvms
            jvms=(${(f)"$(%s | tr '\\t' ':')"})
            _describe 'process' jvms
        }
        _mayfly() {
            if (( CURRENT == 2 )) || [[ $words[2] == help ]]; then
                local -a commands
                commands=(
        """;
    private static final String MIDDLE = """
                )
                _describe 'command' commands
                return
            fi
            local command=$words[2]
            shift words
            (( CURRENT-- ))
            case $command in
        """;
    private static final String END = """
            esac
        }
        compdef _mayfly mayfly
        """;

    private ZshCompletion() {}

    /** Returns the script that completes these commands. */
    public static String script(List<? extends DescribedCommand> commands) {
        var script = new StringBuilder(String.format(START, Completion.JVMS));
        for (DescribedCommand command : commands) {
            script.append("            '")
                    .append(command.word())
                    .append(':')
                    .append(Completion.sentence(command.summary()))
                    .append("'\n");
        }
        script.append(MIDDLE);
        for (DescribedCommand command : commands) {
            CommandSpec spec = Completion.spec(command);
            script.append("    ").append(command.word()).append(") _arguments");
            spec.options().forEach(option -> option(script, option));
            spec.positionalParameters().forEach(each -> positional(script, each));
            script.append(" ;;\n");
        }
        return script.append(END).toString();
    }

    /** {@code '(-o --output)'{-o,--output}'[description]:label:action'}. */
    private static void option(StringBuilder script, OptionSpec option) {
        List<String> names = List.of(option.names());
        String description = "[" + Completion.sentence(HelpPage.description(option)) + "]";
        String value = !Completion.takesValue(option)
                ? ""
                : ":" + label(option.paramLabel()) + ":" + action(Completion.of(option));
        script.append(" \\\n        ");
        if (names.size() == 1) {
            script.append("'").append(names.getFirst());
        } else {
            script.append("'(")
                    .append(String.join(" ", names))
                    .append(")'{")
                    .append(String.join(",", names))
                    .append("}'");
        }
        script.append(description).append(value).append("'");
    }

    private static void positional(StringBuilder script, PositionalParamSpec positional) {
        String rest = positional.arity().max() > 1 ? "*" : "";
        script.append(" \\\n        '")
                .append(rest)
                .append(":")
                .append(label(positional.paramLabel()))
                .append(":")
                .append(action(Completion.of(positional)))
                .append("'");
    }

    private static String label(String paramLabel) {
        return paramLabel.replaceAll("[^A-Za-z|]", " ").strip();
    }

    private static String action(Completion completion) {
        return switch (completion) {
            case Completion.Words some -> "(" + String.join(" ", some.words()) + ")";
            case Completion.Jvm _ -> "_mayfly_jvms";
            case Completion.File _ -> "_files";
            case Completion.Program _ -> "_command_names -e";
            case Completion.Text _ -> " ";
        };
    }
}
