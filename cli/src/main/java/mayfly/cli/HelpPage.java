package mayfly.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The help of a command, from the definitions of its options. Lines break at blanks: {@code .mayfly} stays whole. */
final class HelpPage {
    /** Where the descriptions begin. A longer term has a line of its own. */
    private static final int INDENT = 28;
    private static final int NARROWEST = 60;

    private HelpPage() {
    }

    /** The lines for a terminal of this width, without line ends. */
    static List<String> lines(Command command, CommandSpec spec, int width) {
        int columns = Math.max(width, NARROWEST);
        var lines = new ArrayList<String>();
        lines.add("Usage: " + command.synopsis(spec));
        lines.addAll(wrapped(spec.usageMessage().description()[0], columns));
        lines.add("");
        spec.positionalParameters().forEach(each -> row(lines, each.paramLabel(), description(each), columns));
        spec.options().forEach(each -> row(lines, names(each), description(each), columns));
        return lines;
    }

    /** The names of an option and what its value is called, such as {@code -d, --duration TIME}. */
    static String names(OptionSpec option) {
        return String.join(", ", option.names()) + (option.arity().max() == 0 ? "" : " " + option.paramLabel());
    }

    /** The description of an option or argument, with its default value and the words it takes. */
    static String description(ArgSpec argument) {
        return String.join(" ", argument.description())
                .replace("${DEFAULT-VALUE}", String.valueOf(argument.defaultValue()))
                .replace("${COMPLETION-CANDIDATES}", candidates(argument));
    }

    private static String candidates(ArgSpec argument) {
        Iterable<String> candidates = argument.completionCandidates();
        return candidates == null ? ""
                : StreamSupport.stream(candidates.spliterator(), false).collect(Collectors.joining(", "));
    }

    private static void row(List<String> lines, String term, String description, int columns) {
        String start = "  " + term;
        List<String> text = wrapped(description, columns - INDENT);
        int next = 0;
        if (start.length() + 2 <= INDENT) {
            start += " ".repeat(INDENT - start.length()) + text.getFirst();
            next = 1;
        }
        lines.add(start);
        text.subList(next, text.size()).forEach(line -> lines.add(" ".repeat(INDENT) + line));
    }

    /** A text in lines of at most this width, broken at blanks; a longer word has a line of its own. */
    static List<String> wrapped(String text, int width) {
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
