package mayfly.cli.command;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import mayfly.cli.option.Definition;
import mayfly.cli.option.Flag;
import mayfly.cli.output.ExitCode;
import mayfly.cli.output.Terminal;
import mayfly.cli.output.Text;
import mayfly.discovery.ProcessList;
import mayfly.discovery.RuntimeRow;
import mayfly.profile.RuntimeId;
import mayfly.report.json.Json;

/** {@code mayfly ps}. */
public final class PsCommand implements Subcommand {
    private static final List<String> HEADINGS =
            List.of("PID", "RUNTIME", "VERSION", "USER", "CPU", "UPTIME", "ATTACHED");
    private static final String PROGRAM = "MAIN CLASS";
    private static final String PROGRAM_WITH_ARGUMENTS = "MAIN CLASS AND ARGUMENTS";
    private static final int VERSION = 2;
    private static final int ATTACHED = 6;
    /**
     * The columns that are omitted on a narrow terminal, in this order: user, uptime, runtime, CPU, version,
     * attached.
     */
    private static final int[] DISPENSABLE = {3, 5, 1, 4, VERSION, ATTACHED};
    /** Columns are omitted until this many characters of the main class fit, or all of it. */
    private static final int ENOUGH_OF_NAME = 20;
    /** Lower bound on the shown characters of a main class. */
    private static final int MIN_NAME = 10;
    /** Upper bound on the length of a main class, a blank and arguments in a list, see {@link ProcessList}. */
    private static final int MAX_PROGRAM_LENGTH = 2_001;

    private final Flag arguments = new Flag(
            "-l",
            "--long",
            "Show the arguments of the programs too, at most 1,000 characters of each program."
                    + " They may contain secrets.");

    private final Flag json =
            new Flag("--json", "Print an array with one object for each runtime, see docs/formats/ps-json.md.");

    @Override
    public List<Definition> definitions() {
        return List.of(arguments, json);
    }

    @Override
    public int run(Terminal terminal) {
        List<RuntimeRow> rows =
                ProcessList.list(problem -> terminal.err().println("mayfly: " + Text.printable(problem)));
        if (json.isSet()) {
            terminal.out().println(json(rows, arguments.isSet()));
        } else {
            int room = terminal.outIsTerminal() ? terminal.columns() : Integer.MAX_VALUE;
            table(rows, room, arguments.isSet()).forEach(line -> terminal.out().println(Text.cut(line, room)));
        }
        return ExitCode.DONE.code();
    }

    /** @param arguments true if the programs' arguments are included */
    public static String json(List<RuntimeRow> rows, boolean arguments) {
        var json = new Json().beginArray();
        for (RuntimeRow row : rows) {
            json.beginObject()
                    .name("pid")
                    .value(row.pid())
                    .name("runtime")
                    .value(id(row))
                    .name("version")
                    .value(row.version())
                    .name("address")
                    .value(row.address() == 0 ? "" : "0x" + Long.toHexString(row.address()))
                    .name("mainClass")
                    .value(row.mainClass());
            if (arguments) {
                json.name("arguments").value(row.arguments());
            }
            json.name("user")
                    .value(row.user())
                    .name("cpuNanos")
                    .value(row.usage().cpuNanos())
                    .name("uptimeNanos")
                    .value(row.usage().uptimeNanos())
                    .name("cpuPercent")
                    .value(Math.round(100 * row.usage().cpus()))
                    .name("attached")
                    .beginArray();
            row.attached().forEach(json::value);
            json.endArray().endObject();
        }
        return json.endArray().toString();
    }

    /**
     * Formats a table whose columns are as wide as their widest cell; the last one is not padded. If the table is
     * too wide, build numbers of versions, the column ATTACHED if it has no value, the beginnings of package names, and
     * then further columns are omitted.
     *
     * @param room the width of the terminal in columns
     * @param arguments true if the programs' arguments follow their main classes
     */
    public static List<String> table(List<RuntimeRow> rows, int room, boolean arguments) {
        var table = new ArrayList<List<String>>();
        var headings = new ArrayList<>(HEADINGS);
        headings.add(arguments ? PROGRAM_WITH_ARGUMENTS : PROGRAM);
        table.add(headings);
        rows.forEach(row -> table.add(cells(row, arguments)));
        List<String> whole = lines(table);
        if (whole.stream().allMatch(line -> line.length() <= room)) {
            return whole;
        }
        int longest = rows.stream()
                .mapToInt(row -> program(row, arguments).length())
                .max()
                .orElse(0);
        Set<Integer> omitted = new HashSet<>();
        if (rows.stream().allMatch(row -> row.attached().isEmpty())) {
            omitted.add(ATTACHED);
        }
        List<List<String>> narrow = without(omitted, table);
        int left = room - before(narrow);
        for (int i = 0; i < DISPENSABLE.length && left < Math.min(longest, ENOUGH_OF_NAME); i++) {
            omitted.add(DISPENSABLE[i]);
            narrow = without(omitted, table);
            left = room - before(narrow);
        }
        int most = Math.max(left, MIN_NAME);
        narrow.replaceAll(cells -> {
            var cut = new ArrayList<>(cells);
            cut.set(cut.size() - 1, arguments ? Text.cut(cut.getLast(), most) : Text.cutBefore(cut.getLast(), most));
            return cut;
        });
        return lines(narrow);
    }

    private static List<List<String>> without(Set<Integer> omitted, List<List<String>> table) {
        var narrow = new ArrayList<List<String>>();
        for (List<String> cells : table) {
            var kept = new ArrayList<String>();
            for (int column = 0; column < cells.size(); column++) {
                String cell = cells.get(column);
                if (!omitted.contains(column)) {
                    kept.add(column == VERSION ? cell.replaceFirst("[+].*", "") : cell);
                }
            }
            narrow.add(kept);
        }
        return narrow;
    }

    /** Returns the width of all columns before the last one. */
    private static int before(List<List<String>> table) {
        return lines(table).getFirst().length() - table.getFirst().getLast().length();
    }

    private static String program(RuntimeRow row, boolean arguments) {
        return arguments ? (row.mainClass() + " " + row.arguments()).strip() : row.mainClass();
    }

    /** Returns the id of the row's runtime; empty if the runtime was not read. */
    private static String id(RuntimeRow row) {
        RuntimeId runtime = row.runtime();
        return runtime == null ? "" : runtime.toString();
    }

    private static List<String> cells(RuntimeRow row, boolean arguments) {
        String program = program(row, arguments);
        return List.of(
                Integer.toString(row.pid()),
                cell(id(row)),
                cell(row.version()),
                cell(row.user()),
                row.usage().cpus() < 0 ? "-" : Math.round(100 * row.usage().cpus()) + " %",
                Text.age(row.usage().uptimeNanos()),
                cell(String.join(",", row.attached())),
                program.isEmpty() ? "-" : Text.printable(program, MAX_PROGRAM_LENGTH));
    }

    private static List<String> lines(List<List<String>> table) {
        return table.stream().map(cells -> line(cells, table)).toList();
    }

    private static String cell(String text) {
        return text.isEmpty() ? "-" : Text.printable(text);
    }

    private static String line(List<String> cells, List<List<String>> table) {
        var line = new StringBuilder();
        for (int i = 0; i < cells.size() - 1; i++) {
            int column = i;
            int width = table.stream()
                    .mapToInt(row -> row.get(column).length())
                    .max()
                    .orElse(0);
            line.append(cells.get(i)).append(" ".repeat(width - cells.get(i).length() + 2));
        }
        return line.append(cells.getLast()).toString();
    }
}
