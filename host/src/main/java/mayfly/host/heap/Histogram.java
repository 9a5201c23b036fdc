package mayfly.host.heap;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The JVM's answer to the command {@code GC.class_histogram}:
 *
 * <pre>
 *  num     #instances         #bytes  class name (module)
 * -------------------------------------------------------
 *    1:          6043         461232  [B (java.base@25.0.3)
 * Total          6043         461232
 * </pre>
 *
 * <p>A class of the program may have any name, even one with line breaks that looks like further rows. An answer
 * therefore counts only if its rows are numbered in order and their sums are the totals.
 */
public final class Histogram {
    private static final String TOTAL = "Total";
    /** Upper bound on the digits of a number, so that it fits into a long. */
    private static final int MAX_DIGITS = 18;

    private final List<Row> rows = new ArrayList<>();
    private long instances;
    private long bytes;
    private boolean complete;

    private Histogram() {}

    /**
     * A row.
     *
     * @param name the class name as {@link Class#getName} returns it
     * @param instances the number of instances
     * @param bytes their size
     */
    public record Row(String name, long instances, long bytes) {}

    /** Returns the rows of an answer; null if it is inconsistent or incomplete. */
    public static @Nullable List<Row> parse(byte[] answer) {
        String text = new String(answer, StandardCharsets.UTF_8);
        Histogram histogram = new Histogram();
        for (int from = 0; from < text.length(); ) {
            int to = text.indexOf('\n', from);
            to = to < 0 ? text.length() : to;
            if (!histogram.accept(text, from, to)) {
                return null;
            }
            from = to + 1;
        }
        return histogram.complete ? histogram.rows : null;
    }

    /** Reads a line; returns false if it is inconsistent with those before. */
    private boolean accept(String text, int from, int to) {
        int at = skipBlanks(text, from, to);
        if (text.startsWith(TOTAL, at)) {
            Cursor in = new Cursor(text, at + TOTAL.length(), to);
            boolean same = !complete && in.number() == instances && in.number() == bytes;
            complete = true;
            return same;
        }
        if (rows.isEmpty() && (at == to || !isDigit(text.charAt(at)))) {
            return true; // the lines before the first row
        }
        return at == to || acceptRow(new Cursor(text, at, to));
    }

    private boolean acceptRow(Cursor in) {
        long number = in.number();
        if (complete || number != rows.size() + 1 || !in.skip(':')) {
            return false;
        }
        long count = in.number();
        long size = in.number();
        if (count < 0 || size < 0 || instances > Long.MAX_VALUE - count || bytes > Long.MAX_VALUE - size) {
            return false;
        }
        instances += count;
        bytes += size;
        rows.add(new Row(withoutModule(in.rest()), count, size));
        return true;
    }

    /** Removes the module that follows the name of a class of a named module. */
    private static String withoutModule(String name) {
        int module = name.lastIndexOf(" (");
        return module > 0 && name.endsWith(")") ? name.substring(0, module) : name;
    }

    private static int skipBlanks(String text, int from, int to) {
        int at = from;
        while (at < to && text.charAt(at) == ' ') {
            at++;
        }
        return at;
    }

    private static boolean isDigit(char character) {
        return character >= '0' && character <= '9';
    }

    /** A position in a line. */
    private static final class Cursor {
        private final String text;
        private final int end;
        private int at;

        Cursor(String text, int from, int to) {
            this.text = text;
            this.at = from;
            this.end = to;
        }

        /** Returns the next number, -1 if there is none. */
        long number() {
            at = skipBlanks(text, at, end);
            long number = 0;
            int first = at;
            while (at < end && isDigit(text.charAt(at)) && at - first < MAX_DIGITS) {
                number = 10 * number + text.charAt(at++) - '0';
            }
            return at == first ? -1 : number;
        }

        boolean skip(char expected) {
            boolean there = at < end && text.charAt(at) == expected;
            at += there ? 1 : 0;
            return there;
        }

        String rest() {
            return text.substring(skipBlanks(text, at, end), end);
        }
    }
}
