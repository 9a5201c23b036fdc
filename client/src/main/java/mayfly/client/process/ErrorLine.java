package mayfly.client.process;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The line on standard error with which a command fails: {@code mayfly: TEXT [KEY]}, and below it lines of advice,
 * which are indented.
 *
 * @param text the message, with its key; empty if nothing was printed
 * @param key the key, or empty
 * @param advice the advice, or empty
 */
public record ErrorLine(String text, String key, String advice) {
    private static final String PREFIX = "mayfly: ";
    private static final Pattern KEYED = Pattern.compile(PREFIX + "(.* \\[([a-z0-9-]{1,64})])");
    private static final String INDENT = "  ";

    /** Finds the last line with a key, because warnings may precede it; without one, the last line. */
    public static ErrorLine in(String stderr) {
        List<String> lines = stderr.lines().filter(line -> !line.isBlank()).toList();
        for (int i = lines.size() - 1; i >= 0; i--) {
            Matcher keyed = KEYED.matcher(lines.get(i));
            if (keyed.matches()) {
                return new ErrorLine(keyed.group(1), keyed.group(2), advice(lines.subList(i + 1, lines.size())));
            }
        }
        String last = lines.isEmpty() ? "" : lines.get(lines.size() - 1);
        return new ErrorLine(last.startsWith(PREFIX) ? last.substring(PREFIX.length()) : last, "", "");
    }

    private static String advice(List<String> lines) {
        return lines.stream()
                .takeWhile(line -> line.startsWith(INDENT))
                .map(String::strip)
                .collect(Collectors.joining("\n"));
    }
}
