package mayfly.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import mayfly.kit.Project;

/**
 * One requirement of the profiling contract, a row of a table in docs/contract.md.
 *
 * @param id its id, such as {@code A-04}
 * @param jdks the JDKs that it applies to
 * @param sentence the requirement
 */
record RequirementRow(String id, Set<Integer> jdks, String sentence) {
    static final Path FILE = Project.root().resolve("docs/contract.md");
    static final String HEADER = "| id | requirement | side | in Mayfly |";
    static final String DELIMITER = "|---|---|---|---|";
    /** JDKs that can run a host. */
    private static final Set<Integer> INSIDE = Set.of(17, 21, 25, 26);
    /** JDKs that are sampled and dumped from another process. */
    private static final Set<Integer> OUTSIDE = Set.of(11, 17, 21, 25, 26);

    private static final Pattern ID = Pattern.compile("[A-Z]-\\d\\d");
    private static final Pattern LOOKS_LIKE_A_REQUIREMENT = Pattern.compile("\\s*\\|?\\s*[A-Z]-\\d\\d\\s*\\|");
    private static final int COLUMNS = 4;

    /** Returns all requirements, in the order of the page. */
    static List<RequirementRow> all() {
        try {
            return parse(Files.readAllLines(FILE));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Reads the tables that have the {@linkplain #HEADER header} of requirements; other text and tables are skipped.
     *
     * @param lines a page in Markdown
     * @throws IllegalArgumentException if a table is malformed, an id is not the next one of its section or occurs
     *         before, a side is unknown, a cell is empty, a requirement is outside such a table, or there is none
     */
    static List<RequirementRow> parse(List<String> lines) {
        List<RequirementRow> rows = new ArrayList<>();
        Set<Character> sections = new HashSet<>();
        int i = 0;
        while (i < lines.size()) {
            if (lines.get(i).equals(HEADER)) {
                i = table(lines, i + 1, sections, rows);
            } else {
                refuseIf(looksLikeARequirement(lines.get(i)), i, lines, "a requirement outside its table");
                i++;
            }
        }
        if (rows.isEmpty()) {
            throw new IllegalArgumentException("the page has no requirement");
        }
        return List.copyOf(rows);
    }

    /** Reads the rows of one section, and returns the index after the last one. */
    private static int table(List<String> lines, int delimiter, Set<Character> sections, List<RequirementRow> rows) {
        refuseIf(
                delimiter == lines.size() || !lines.get(delimiter).equals(DELIMITER),
                delimiter - 1,
                lines,
                "a header without " + DELIMITER);
        int i = delimiter + 1;
        while (i < lines.size() && lines.get(i).startsWith("|")) {
            RequirementRow row = row(lines, i);
            int number = i - delimiter;
            refuseIf(number == 1 && !sections.add(row.id.charAt(0)), i, lines, "a letter of another section");
            String previous = number == 1 ? row.id : rows.getLast().id;
            String next = "%c-%02d".formatted(previous.charAt(0), number);
            refuseIf(!row.id.equals(next), i, lines, "not the id " + next);
            rows.add(row);
            i++;
        }
        refuseIf(i == delimiter + 1, delimiter, lines, "a table without rows");
        return i;
    }

    private static RequirementRow row(List<String> lines, int i) {
        String line = lines.get(i);
        refuseIf(!line.endsWith(" |") || !line.startsWith("| "), i, lines, "a row that is not '| ... |'");
        String[] cells = line.substring(2, line.length() - 2).split(" \\| ", -1);
        refuseIf(
                cells.length != COLUMNS || line.chars().filter(c -> c == '|').count() != COLUMNS + 1,
                i,
                lines,
                "not " + COLUMNS + " columns");
        for (String cell : cells) {
            refuseIf(cell.isBlank() || !cell.equals(cell.strip()), i, lines, "an empty or indented cell");
        }
        refuseIf(!ID.matcher(cells[0]).matches(), i, lines, "not an id");
        return new RequirementRow(cells[0], jdks(cells[2], i, lines), cells[1]);
    }

    private static boolean looksLikeARequirement(String line) {
        return LOOKS_LIKE_A_REQUIREMENT.matcher(line).lookingAt();
    }

    private static Set<Integer> jdks(String side, int i, List<String> lines) {
        Set<Integer> jdks = switch (side) {
            case "inside" -> INSIDE;
            case "outside", "both" -> OUTSIDE;
            default -> Set.of();
        };
        refuseIf(jdks.isEmpty(), i, lines, "a side that is not inside, outside or both");
        return new TreeSet<>(jdks);
    }

    private static void refuseIf(boolean wrong, int i, List<String> lines, String why) {
        if (wrong) {
            throw new IllegalArgumentException("line " + (i + 1) + ", " + why + ": " + lines.get(i));
        }
    }
}
