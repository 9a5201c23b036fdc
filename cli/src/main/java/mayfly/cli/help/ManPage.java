package mayfly.cli.help;

import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.CommandSpec;

/** Manual pages for man(1), in the macros of man(7), from the definitions of the commands. */
public final class ManPage {
    private ManPage() {}

    /**
     * Returns the page {@code mayfly-COMMAND(1)}.
     *
     * @param version the version of Mayfly
     */
    public static String of(DescribedCommand command, String version) {
        CommandSpec spec = command.parser().getCommandSpec();
        StringBuilder out = head("mayfly-" + command.word(), version, command.summary());
        out.append(".SH SYNOPSIS\n").append(text(command.synopsis(spec))).append('\n');
        out.append(".SH OPTIONS\n");
        spec.positionalParameters().forEach(each -> term(out, each.paramLabel(), HelpPage.description(each)));
        HelpPage.options(spec).forEach(each -> term(out, HelpPage.names(each), HelpPage.description(each)));
        return out.append(".SH SEE ALSO\n.BR mayfly (1)\n").toString();
    }

    /** Returns the page {@code mayfly(1)}, which lists the commands and the exit codes. */
    public static String overview(List<? extends DescribedCommand> commands, List<String> exitCodes, String version) {
        StringBuilder out = head("mayfly", version, "show where a running JVM spends its time, from outside");
        out.append(".SH SYNOPSIS\n.B mayfly\n.I COMMAND\n[options]\n");
        out.append(".SH DESCRIPTION\n")
                .append(text("Mayfly samples a running JVM from another process, prints the stacks of its threads, and"
                        + " loads profilers that it can unload again. Sampling needs no agent, no flag and no"
                        + " restart of the JVM, and leaves nothing in the JVM."))
                .append('\n');
        out.append(".SH COMMANDS\n");
        commands.forEach(
                each -> term(out, "mayfly " + each.word(), each.summary() + "; see mayfly-" + each.word() + "(1)"));
        out.append(".SH EXIT STATUS\n")
                .append(exitCodes.stream().map(ManPage::text).collect(Collectors.joining("\n.br\n")))
                .append('\n');
        return out.append(".SH SEE ALSO\n")
                .append(commands.stream()
                        .map(each -> ".BR mayfly\\-" + each.word() + " (1)")
                        .collect(Collectors.joining(",\n")))
                .append('\n')
                .toString();
    }

    private static StringBuilder head(String name, String version, String summary) {
        return new StringBuilder(".TH ")
                .append(name.toUpperCase(java.util.Locale.ROOT))
                .append(" 1 \"\" \"Mayfly ")
                .append(version)
                .append("\"\n.SH NAME\n")
                .append(text(name))
                .append(" \\- ")
                .append(text(summary))
                .append('\n');
    }

    private static void term(StringBuilder out, String term, String description) {
        out.append(".TP\n.B ")
                .append(text(term))
                .append('\n')
                .append(text(description))
                .append('\n');
    }

    /** Escapes a text: a backslash and a hyphen are special everywhere, a dot and an apostrophe at its start. */
    static String text(String text) {
        String escaped = text.replace("\\", "\\e").replace("-", "\\-");
        return escaped.startsWith(".") || escaped.startsWith("'") ? "\\&" + escaped : escaped;
    }
}
