package mayfly.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Compares the pages that two versions of this checkout wrote in turns, and writes the ratio of each figure. The script
 * {@code testing/bench/compare} runs it.
 */
final class Comparison {
    /** The columns that are compared: durations, CPU, memory and losses. A smaller figure is better. */
    private static final Pattern COMPARED = Pattern.compile("µs|\\bms\\b|loss by|resident");

    private static final Pattern NUMBER = Pattern.compile("^-?\\d+(\\.\\d+)?");
    private static final Pattern BEGIN = Pattern.compile("<!-- begin (\\S+) -->");

    /**
     * One figure of a page.
     *
     * @param section the table
     * @param row the cells before the first figure, which name the row
     * @param column the header of the figure's column
     */
    record Key(String section, String row, String column) {}

    private Comparison() {}

    /**
     * @param words the page to write, the user's command, the earlier commit, the number of pages, then those of the
     *     earlier version and the same number of pages of this one
     */
    public static void main(String... words) throws IOException {
        int pages = Integer.parseInt(words[3]);
        List<Path> files =
                List.of(words).subList(4, words.length).stream().map(Path::of).toList();
        if (files.size() != 2 * pages) {
            throw new IllegalArgumentException("needs " + pages + " pages of each version, not " + files);
        }
        Page page = compare(words[2], figures(files.subList(0, pages)), figures(files.subList(pages, 2 * pages)));
        page.writeTo(Path.of(words[0]), "", Machine.describe(List.of(), words[1]));
    }

    private static Page compare(String commit, Map<Key, List<Double>> before, Map<Key, List<Double>> after) {
        Page page = new Page(
                "compare",
                "This version and an earlier one",
                """
                Both versions were built on this machine and measured in turns. Each figure is the median of the runs,
                with the least and the greatest in parentheses. A ratio above 1 means that this version is slower or
                larger than %s. It is marked *worse* or *better* if the runs of the two versions do not overlap;
                otherwise the difference is not distinguished from noise.\
                """.formatted(commit),
                "table",
                "row",
                "figure",
                "earlier",
                "now",
                "ratio");
        before.forEach((key, values) -> {
            List<Double> now = after.get(key);
            if (now == null) {
                page.note("only in the earlier version: " + key);
                return;
            }
            double ratio = median(now) / median(values);
            page.row(
                    key.section(),
                    key.row(),
                    key.column(),
                    text(values),
                    text(now),
                    Double.isFinite(ratio) ? "%.2f%s".formatted(ratio, mark(values, now)) : "-");
        });
        return page;
    }

    private static String mark(List<Double> before, List<Double> now) {
        if (Collections.min(now) > Collections.max(before)) {
            return " worse";
        }
        return Collections.max(now) < Collections.min(before) ? " better" : "";
    }

    private static double median(List<Double> values) {
        return Statistics.median(
                values.stream().mapToDouble(Double::doubleValue).toArray());
    }

    private static String text(List<Double> values) {
        double least = values.stream().mapToDouble(Double::doubleValue).min().orElseThrow();
        double greatest = values.stream().mapToDouble(Double::doubleValue).max().orElseThrow();
        return "%.2f (%.2f to %.2f)".formatted(median(values), least, greatest);
    }

    /** Returns the compared figures of several pages of one version. */
    static Map<Key, List<Double>> figures(List<Path> pages) throws IOException {
        Map<Key, List<Double>> figures = new LinkedHashMap<>();
        for (Path page : pages) {
            addFigures(figures, Files.readAllLines(page));
        }
        return figures;
    }

    private static void addFigures(Map<Key, List<Double>> figures, List<String> lines) {
        String section = "";
        List<String> columns = List.of();
        for (String line : lines) {
            Matcher begin = BEGIN.matcher(line);
            if (begin.find()) {
                section = begin.group(1);
                columns = List.of();
            } else if (line.startsWith("| ") && columns.isEmpty()) {
                columns = cells(line);
            } else if (line.startsWith("| ") && !line.startsWith("| ---")) {
                addRow(figures, section, columns, cells(line));
            }
        }
    }

    /** Returns the present name of a row that has a new one since the earlier version. */
    private static String renamed(String cell) {
        return cell.replace("each for itself", "one at a time");
    }

    private static void addRow(
            Map<Key, List<Double>> figures, String section, List<String> columns, List<String> cells) {
        List<String> name = new ArrayList<>();
        boolean named = false;
        for (int i = 0; i < Math.min(columns.size(), cells.size()); i++) {
            boolean compared = COMPARED.matcher(columns.get(i)).find();
            OptionalDouble number = number(cells.get(i));
            // A count of samples or windows differs between runs, so it does not name the row.
            named |= compared || columns.get(i).matches("samples|pairs|number|delivered.*|windows");
            if (!named) {
                name.add(renamed(cells.get(i)));
            } else if (compared && number.isPresent()) {
                Key key = new Key(section, String.join(", ", name), columns.get(i));
                figures.computeIfAbsent(key, absent -> new ArrayList<>()).add(number.getAsDouble());
            }
        }
    }

    private static List<String> cells(String line) {
        return List.of(line.substring(2).replaceFirst(" \\|$", "").split(" \\| "));
    }

    private static OptionalDouble number(String cell) {
        Matcher number = NUMBER.matcher(cell);
        return number.find() ? OptionalDouble.of(Double.parseDouble(number.group())) : OptionalDouble.empty();
    }
}
