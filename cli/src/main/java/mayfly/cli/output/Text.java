package mayfly.cli.output;

import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** Text for a terminal. */
public final class Text {
    private static final int MAX_LENGTH = 400;

    private Text() {}

    /**
     * Returns a line that is safe to print: characters that could move the cursor, start an escape sequence or reverse
     * the reading direction are replaced by {@code ?}, and a long text is truncated.
     */
    public static String printable(String untrusted) {
        return printable(untrusted, MAX_LENGTH);
    }

    /** Like {@link #printable(String)}, with a length after which the text is truncated. */
    public static String printable(String untrusted, int maxLength) {
        var safe = new StringBuilder(Math.min(untrusted.length(), maxLength));
        for (int i = 0; i < untrusted.length(); ) {
            if (safe.length() >= maxLength) {
                return safe.append("...").toString();
            }
            int c = untrusted.codePointAt(i);
            safe.appendCodePoint(isPrintable(c) ? c : '?');
            i += Character.charCount(c);
        }
        return safe.toString();
    }

    /** Returns a complete name on one line: unsafe characters and the backslash are escaped. */
    static String escaped(String untrusted) {
        if (untrusted.codePoints().allMatch(c -> isPrintable(c) && c != '\\')) {
            return untrusted;
        }
        var safe = new StringBuilder(untrusted.length() + 16);
        untrusted.codePoints().forEach(c -> {
            if (isPrintable(c) && c != '\\') {
                safe.appendCodePoint(c);
            } else {
                for (char each : Character.toChars(c)) {
                    safe.append(String.format(Locale.ROOT, "\\u%04x", (int) each));
                }
            }
        });
        return safe.toString();
    }

    /** Returns text of several lines for a terminal: unsafe characters are escaped, except for line feeds and tabs. */
    static String forTerminal(String untrusted) {
        var safe = new StringBuilder(untrusted.length());
        untrusted.codePoints().forEach(c -> {
            if (isPrintable(c) || c == '\n' || c == '\t') {
                safe.appendCodePoint(c);
            } else {
                for (char each : Character.toChars(c)) {
                    safe.append(String.format(Locale.ROOT, "\\u%04x", (int) each));
                }
            }
        });
        return safe.toString();
    }

    private static boolean isPrintable(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.UNASSIGNED,
                    Character.PRIVATE_USE -> false;
            default -> true;
        };
    }

    /** Truncates a line to a number of columns; an ellipsis replaces the rest. */
    public static String cut(String line, int columns) {
        return line.length() <= columns ? line : line.substring(0, Math.max(columns - 1, 0)) + "…";
    }

    /** Truncates a text at its beginning. */
    public static String cutBefore(String text, int columns) {
        return text.length() <= columns ? text : "…" + text.substring(text.length() - Math.max(columns - 1, 0));
    }

    /**
     * Returns the lines that describe a process's runtimes, printable. If there is only one, its address is omitted.
     */
    static List<String> runtimes(List<String> lines) {
        return lines.stream()
                .map(line -> printable(lines.size() > 1 ? line : line.replaceFirst(" at 0x[0-9a-f]+", "")))
                .toList();
    }

    /** Formats a count: 12,345. */
    public static String count(long n) {
        return String.format(Locale.ROOT, "%,d", n);
    }

    public static String seconds(long nanos) {
        return String.format(Locale.ROOT, "%.1f s", nanos / 1e9);
    }

    /** Formats an age in its two largest units: 3d 4h, 2h 5m, 12m 3s, 45s. */
    public static String age(long nanos) {
        Duration age = Duration.ofNanos(Math.max(nanos, 0));
        if (age.toDays() > 0) {
            return age.toDays() + "d " + age.toHoursPart() + "h";
        }
        if (age.toHours() > 0) {
            return age.toHours() + "h " + age.toMinutesPart() + "m";
        }
        return age.toMinutes() > 0 ? age.toMinutes() + "m " + age.toSecondsPart() + "s" : age.toSeconds() + "s";
    }

    /** Formats a share in percent. Rounded down, so that 100 % means all. */
    public static String percent(long part, long whole) {
        return whole == 0 ? "-" : String.format(Locale.ROOT, "%.2f %%", Math.floor(part * 10_000.0 / whole) / 100);
    }

    /** Formats a duration in the syntax of the command line. */
    public static String duration(Duration d) {
        long millis = d.toMillis();
        if (millis % 1000 != 0) {
            return millis + "ms";
        }
        return millis % 60_000 == 0 && millis > 0 ? millis / 60_000 + "m" : millis / 1000 + "s";
    }
}
