package mayfly.cli;

import mayfly.cli.command.Command;
import mayfly.cli.help.HelpPage;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** Generates docs/cli.md from the definitions of the commands. */
final class CommandLinePage {

    private CommandLinePage() {}

    static String markdown() {
        var page = new StringBuilder("""
            # The command line

            Written from the definitions in `cli` by its tests (`mvn -pl cli -am verify -Dgolden=write`); do not \
            edit.

            Results go to standard output, everything else to standard error. Exit codes: \
            [exit-codes.md](exit-codes.md).
            Messages: [troubleshooting.md](troubleshooting.md). Environment: `MAYFLY_JAVA_HOME` (the JDK that \
            Mayfly runs on),
            `MAYFLY_NO_BUILD` (run the existing build), `MAYFLY_DEBUG` (print the stack trace of a defect), \
            `NO_COLOR`, `COLUMNS`.
            """);
        for (Command command : Command.values()) {
            section(page, command);
        }
        return page.toString();
    }

    private static void section(StringBuilder page, Command command) {
        CommandSpec spec = command.parser().getCommandSpec();
        page.append("\n## mayfly ").append(command.word()).append("\n\n");
        page.append(spec.usageMessage().description()[0]).append("\n\n");
        page.append("```\n").append(command.synopsis(spec)).append("\n```\n\n");
        page.append("| | |\n|---|---|\n");
        for (PositionalParamSpec positional : spec.positionalParameters()) {
            row(page, positional.paramLabel(), HelpPage.description(positional));
        }
        for (OptionSpec option : HelpPage.options(spec)) {
            row(page, HelpPage.names(option), HelpPage.description(option));
        }
        page.append(limits(command));
    }

    private static String limits(Command command) {
        return switch (command) {
            case RECORD -> """

                A walk follows at most 65,536 frames, and the middle of a stack of more than 8,192 frames is left \
                out; no option
                changes these limits. A virtual thread is sampled while a carrier thread runs it, and appears \
                under the carrier's
                name; while it is unmounted, `-e wall`, `-e off-cpu` and `-e lock` have no samples of it.
                """;
            case STACK -> """

                Without `--virtual`, a virtual thread is shown only while a carrier thread runs it, and the head of \
                the dump mentions
                that others may exist. The monitors of virtual threads
                that are not mounted are not shown, nor those of a compiled method in which a running thread was \
                stopped.
                Priorities, modules, local
                variables and objects of the heap are not shown. A walk follows at most a million frames, and the \
                middle of a deep
                stack is left out; no option changes these limits.
                """;
            case DEMO, PS, RUN, ATTACH, SEND, STATUS, DETACH, AUDIT, CONVERT, REPORT, DOCTOR, COMPLETION -> "";
        };
    }

    private static void row(StringBuilder page, String term, String meaning) {
        page.append("| `")
                .append(term.replace("|", "\\|"))
                .append("` | ")
                .append(meaning)
                .append(" |\n");
    }
}
