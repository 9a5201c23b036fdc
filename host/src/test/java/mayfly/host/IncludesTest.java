package mayfly.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The dependencies of the C files on each other. A file {@code x.c} and its header {@code x.h} are one node of the
 * graph, and an include is an edge. Because a header declares only functions of its own file, and no file declares a
 * function of another, each use of a function is an edge too.
 */
class IncludesTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern INCLUDE = Pattern.compile("(?m)^#include \"(?:.*/)?([\\w-]+)\\.h\"");
    private static final Pattern COMMENT = Pattern.compile("(?s)/\\*.*?\\*/");
    /** A declaration or the head of a definition of a function that is not static: its name. */
    private static final String FUNCTION = "(?m)^(?!static|typedef|return|#)(?:\\w+[ *]+)+(\\w+)\\([^;{}]*\\)";

    private static final Pattern DECLARED = Pattern.compile(FUNCTION + "(?: __attribute__\\(.*\\))?;");
    private static final Pattern DEFINED = Pattern.compile(FUNCTION + " \\{");

    @ParameterizedTest
    @ValueSource(strings = {"host/src/main/c", "host/src/main/launch", "cli/src/main/c"})
    void filesDoNotIncludeEachOtherInACycle(String folder) throws IOException {
        Map<String, Set<String>> graph = new TreeMap<>();
        sources(folder)
                .forEach((file, text) -> INCLUDE.matcher(text)
                        .results()
                        .map(found -> found.group(1))
                        .forEach(included -> graph.computeIfAbsent(nodeOf(file), each -> new TreeSet<>())
                                .add(included)));
        assertThat(graph).hasSizeGreaterThan(3);
        assertThat(cycleOf(graph)).as("a cycle of files in %s", folder).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"host/src/main/c", "host/src/main/launch"})
    void headersDeclareTheFunctionsOfTheirOwnFileOnly(String folder) throws IOException {
        Map<String, String> sources = sources(folder);
        Map<String, Set<String>> foreign = new TreeMap<>();
        int count = 0;
        for (String header : sources.keySet()) {
            if (header.endsWith(".h")) {
                Set<String> declared = names(DECLARED, sources.get(header));
                count += declared.size();
                declared.removeAll(names(DEFINED, sources.getOrDefault(nodeOf(header) + ".c", "")));
                foreign.put(header, declared);
            }
        }
        assertThat(count).isPositive();
        assertThat(foreign).allSatisfy((header, names) -> assertThat(names).isEmpty());
    }

    @ParameterizedTest
    @ValueSource(strings = {"host/src/main/c", "host/src/main/launch"})
    void onlyHeadersDeclareFunctionsAndVariablesOfOtherFiles(String folder) throws IOException {
        sources(folder).forEach((file, text) -> {
            if (file.endsWith(".c")) {
                assertThat(names(DECLARED, text)).as(file).isEmpty();
                assertThat(text).as(file).doesNotContainPattern("(?m)^\\s*extern ");
            }
        });
    }

    @Test
    void aCycleIsNamed() {
        Map<String, Set<String>> graph = new TreeMap<>(
                Map.of("start", Set.of("a"), "a", Set.of("b", "leaf"), "b", Set.of("c"), "c", Set.of("a")));
        assertThat(cycleOf(graph)).containsExactly("a", "b", "c", "a");
        graph.put("c", Set.of("leaf"));
        assertThat(cycleOf(graph)).isEmpty();
    }

    /** Returns the text of each C file and header of a folder, without comments, by the name of the file. */
    private static Map<String, String> sources(String folder) throws IOException {
        Map<String, String> sources = new TreeMap<>();
        try (Stream<Path> files = Files.list(ROOT.resolve(folder))) {
            for (Path file :
                    files.filter(each -> each.toString().matches(".*\\.[ch]")).toList()) {
                sources.put(
                        file.getFileName().toString(),
                        COMMENT.matcher(Files.readString(file)).replaceAll(""));
            }
        }
        return sources;
    }

    private static String nodeOf(String file) {
        return file.substring(0, file.length() - 2);
    }

    private static Set<String> names(Pattern pattern, String text) {
        Set<String> names = new TreeSet<>();
        pattern.matcher(text).results().forEach(found -> names.add(found.group(1)));
        return names;
    }

    /** Returns the files of a cycle in order, the first of them again at the end; empty if there is no cycle. */
    private static List<String> cycleOf(Map<String, Set<String>> graph) {
        Set<String> done = new TreeSet<>();
        for (String file : graph.keySet()) {
            List<String> cycle = cycleFrom(file, graph, new ArrayList<>(), done);
            if (!cycle.isEmpty()) {
                return cycle;
            }
        }
        return List.of();
    }

    private static List<String> cycleFrom(
            String file, Map<String, Set<String>> graph, List<String> path, Set<String> done) {
        int before = path.indexOf(file);
        path.add(file);
        if (before >= 0) {
            return List.copyOf(path.subList(before, path.size()));
        }
        if (!done.contains(file)) {
            for (String included : graph.getOrDefault(file, Set.of())) {
                List<String> cycle = included.equals(file) ? List.of() : cycleFrom(included, graph, path, done);
                if (!cycle.isEmpty()) {
                    return cycle;
                }
            }
            done.add(file);
        }
        path.remove(path.size() - 1);
        return List.of();
    }
}
