package mayfly.cli.help;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The help of a command, from the definitions of its options. Lines break at blanks only, so that {@code .mayfly} is
 * not split.
 */
public final class HelpPage {
    /** Column of the descriptions. A longer term has a line of its own. */
    private static final int INDENT = 28;
    /** Below this width each term has a line of its own. */
    private static final int BESIDE = 60;

    private static final int NARROW_INDENT = 6;
    private static final int OVERVIEW_INDENT = 14;
    /** Lower bound on the width; no word in the texts is wider. */
    private static final int MIN_COLUMNS = 40;

    private HelpPage() {}

    /** Returns the lines for a terminal of this width, without line ends. */
    public static List<String> lines(DescribedCommand command, CommandSpec spec, int width) {
        int columns = Math.max(width, MIN_COLUMNS);
        var lines = new ArrayList<String>();
        lines.addAll(wrapped("Usage: " + command.synopsis(spec), columns));
        lines.addAll(wrapped(spec.usageMessage().description()[0], columns));
        lines.add("");
        spec.positionalParameters().forEach(each -> row(lines, each.paramLabel(), description(each), INDENT, columns));
        options(spec).forEach(each -> row(lines, names(each), description(each), INDENT, columns));
        return lines;
    }

    /** Returns the lines of {@code mayfly --help} for a terminal of this width, without line ends. */
    public static List<String> overview(List<? extends DescribedCommand> commands, int width) {
        int columns = Math.max(width, MIN_COLUMNS);
        var lines = new ArrayList<>(wrapped(
                "Mayfly shows where a running JVM spends its time, from outside: no agent, no flag, no restart.",
                columns));
        lines.add("");
        lines.addAll(wrapped("usage: mayfly COMMAND [options]", columns));
        lines.add("");
        for (DescribedCommand command : commands) {
            row(lines, command.word(), command.summary(), OVERVIEW_INDENT, columns);
        }
        lines.add("");
        row(lines, "mayfly COMMAND --help", "the options of a command; also: mayfly help COMMAND", INDENT - 1, columns);
        row(lines, "mayfly --version", "the version", INDENT - 1, columns);
        return lines;
    }

    /** Returns the options in the order of their definition; the help option is last. */
    public static List<OptionSpec> options(CommandSpec spec) {
        return spec.options().stream()
                .sorted(Comparator.comparing(OptionSpec::usageHelp))
                .toList();
    }

    /** Returns the names of an option and the label of its value, such as {@code -d, --duration TIME}. */
    public static String names(OptionSpec option) {
        return String.join(", ", option.names()) + (option.arity().max() == 0 ? "" : " " + option.paramLabel());
    }

    /** Returns the description of an option or argument, with its default value and permitted words. */
    public static String description(ArgSpec argument) {
        return String.join(" ", argument.description())
                .replace("${DEFAULT-VALUE}", String.valueOf(argument.defaultValue()))
                .replace("${COMPLETION-CANDIDATES}", candidates(argument));
    }

    private static String candidates(ArgSpec argument) {
        Iterable<String> candidates = argument.completionCandidates();
        return candidates == null
                ? ""
                : StreamSupport.stream(candidates.spliterator(), false).collect(Collectors.joining(", "));
    }

    private static void row(List<String> lines, String term, String description, int beside, int columns) {
        String start = "  " + term;
        int indent = columns < BESIDE ? NARROW_INDENT : beside;
        List<String> text = wrapped(description, columns - indent);
        int next = 0;
        if (start.length() + 2 <= indent) {
            start += " ".repeat(indent - start.length()) + text.getFirst();
            next = 1;
        }
        lines.add(start);
        text.subList(next, text.size()).forEach(line -> lines.add(" ".repeat(indent) + line));
    }

    /** Breaks a text at blanks into lines of at most this width; a longer word has a line of its own. */
    public static List<String> wrapped(String text, int width) {
        var lines = new ArrayList<String>();
        var line = new StringBuilder();
        for (String word : text.split(" ")) {
            if (!line.isEmpty() && line.length() + 1 + word.length() > width) {
                lines.add(line.toString());
                line.setLength(0);
            }
            line.append(line.isEmpty() ? "" : " ").append(word);
        }
        lines.add(line.toString());
        return lines;
    }
}
