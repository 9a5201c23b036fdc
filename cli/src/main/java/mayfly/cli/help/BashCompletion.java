package mayfly.cli.help;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Completion for bash, see "Programmable Completion" in bash(1). */
public final class BashCompletion {
    private static final String START = """
        # Completion of mayfly for bash: source <(mayfly completion bash)
        _mayfly_jvms() { %2$s | cut -f 1; }
        _mayfly() {
            local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} options="" i
            COMPREPLY=()
            if [ "$COMP_CWORD" = 1 ]; then
                COMPREPLY=($(compgen -W 'help %1$s' -- "$word"))
                return
            fi
            if [ "${COMP_WORDS[1]}" = help ]; then
                COMPREPLY=($(compgen -W '%1$s' -- "$word"))
                return
            fi
            for ((i = 2; i < COMP_CWORD; i++)); do
                if [ "${COMP_WORDS[i]}" = -- ]; then
                    COMPREPLY=($(compgen -o default -A command -- "$word"))
                    return
                fi
            done
            case ${COMP_WORDS[1]} in
        """;
    private static final String END = """
            esac
            if [[ $word == -* ]]; then
                COMPREPLY=($(compgen -W "$options" -- "$word"))
            fi
        }
        complete -o filenames -F _mayfly mayfly
        """;

    private BashCompletion() {}

    /** Returns the script that completes these commands. */
    public static String script(List<? extends DescribedCommand> commands) {
        var script = new StringBuilder(String.format(START, Completion.words(commands), Completion.JVMS));
        for (DescribedCommand command : commands) {
            CommandSpec spec = Completion.spec(command);
            script.append("        ").append(command.word()).append(")\n");
            script.append("            options='")
                    .append(spec.options().stream()
                            .flatMap(option -> Stream.of(option.names()))
                            .collect(Collectors.joining(" ")))
                    .append("'\n");
            script.append("            case $before in\n");
            spec.options().stream().filter(Completion::takesValue).forEach(option -> value(script, option));
            script.append("            *)\n");
            if (!spec.positionalParameters().isEmpty()) {
                reply(script, Completion.of(spec.positionalParameters().getFirst()));
            }
            script.append("            esac ;;\n");
        }
        return script.append(END).toString();
    }

    private static void value(StringBuilder script, OptionSpec option) {
        script.append("            ").append(String.join("|", option.names())).append(")\n");
        reply(script, Completion.of(option));
        script.append("                return ;;\n");
    }

    private static void reply(StringBuilder script, Completion completion) {
        String words = switch (completion) {
            case Completion.Words some -> "-W '" + String.join(" ", some.words()) + "'";
            case Completion.Jvm _ -> "-W \"$(_mayfly_jvms)\"";
            case Completion.File _ -> "-f";
            case Completion.Program _ -> "-c";
            case Completion.Text _ -> "";
        };
        if (!words.isEmpty()) {
            script.append("                COMPREPLY=($(compgen ").append(words).append(" -- \"$word\"))\n");
        }
    }
}
