package mayfly.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** One section of docs/benchmarks.md. A run replaces the sections that it measured and keeps the others. */
final class Page {
    private final String name;
    private final String title;
    private final String explanation;
    private final List<String> rows = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();

    Page(String name, String title, String explanation, String... columns) {
        this.name = name;
        this.title = title;
        this.explanation = explanation;
        rows.add(line(Stream.of(columns)));
        rows.add(line(Stream.of(columns).map(column -> "---")));
    }

    private static String line(Stream<?> cells) {
        return cells.map(cell -> String.valueOf(cell).replace("|", "\\|").replace("\n", " "))
                .collect(Collectors.joining(" | ", "| ", " |"));
    }

    /** Adds a row, and prints it. */
    void row(Object... cells) {
        String line = line(Stream.of(cells));
        rows.add(line);
        System.out.println(line);
    }

    /** Adds a remark for the reader, such as a missing figure. */
    void note(String text) {
        String first = text.lines().limit(30).collect(Collectors.joining("\n"));
        System.err.println(first);
        notes.add(text.lines().findFirst().orElse(""));
    }

    void progress(String text) {
        System.err.println(text);
    }

    /** Writes the section into the file, replacing the section with the same name. */
    void writeTo(Path file, String head, String provenance) throws IOException {
        String begin = "<!-- begin " + name + " -->";
        String end = "<!-- end " + name + " -->";
        StringBuilder section = new StringBuilder(begin)
                .append("\n## ")
                .append(title)
                .append("\n\n")
                .append(explanation)
                .append("\n\n")
                .append(String.join("\n", rows))
                .append("\n\n");
        notes.forEach(note -> section.append("- Note: ").append(note).append('\n'));
        section.append(notes.isEmpty() ? "" : "\n")
                .append(provenance)
                .append('\n')
                .append(end)
                .append('\n');
        String old = Files.exists(file) ? Files.readString(file) : head;
        int from = old.indexOf(begin);
        int to = old.indexOf(end);
        String text = from >= 0 && to > from
                ? old.substring(0, from)
                        + section
                        + old.substring(to + end.length()).stripLeading()
                : old.stripTrailing() + "\n\n" + section;
        Path folder = file.toAbsolutePath().getParent();
        if (folder != null) {
            Files.createDirectories(folder);
        }
        Files.writeString(file, text);
    }
}
