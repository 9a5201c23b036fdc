package mayfly.e2e;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import mayfly.kit.Project;
import mayfly.kit.Requirement;

/** Which requirement is shown by which tests, and what came of them on each JDK. */
final class ConformancePage {
    static final Path FILE = Project.root().resolve("docs/conformance.md");

    /** From best to worst: a requirement is as well met as its worst test. */
    enum Result {
        MET("met"), SKIPPED("skipped"), FAILED("**not met**");

        private final String word;

        Result(String word) {
            this.word = word;
        }
    }

    /** For each requirement, its tests. */
    private final Map<String, Set<String>> tests = new TreeMap<>();
    /** For each requirement and JDK, the worst result. */
    private final Map<String, Map<Integer, Result>> results = new TreeMap<>();

    synchronized void add(String[] ids, String test, int feature, Result result) {
        for (String id : ids) {
            tests.computeIfAbsent(id, unseen -> new TreeSet<>()).add(test);
            results.computeIfAbsent(id, unseen -> new TreeMap<>())
                    .merge(feature, result, (a, b) -> a.compareTo(b) > 0 ? a : b);
        }
    }

    synchronized Set<String> tests() {
        return tests.values().stream().flatMap(Set::stream).collect(Collectors.toSet());
    }

    synchronized String text() {
        Set<Integer> jdks = new TreeSet<>();
        results.values().forEach(of -> jdks.addAll(of.keySet()));
        StringBuilder page = new StringBuilder("""
                # Conformance

                The requirements of the profiling contract that have been begun, with the tests that name them
                and what came of these on each JDK. A blank means that no such test was run there. Written by
                `mvn verify -Pdeep`, and by `mvn verify -Dconformance=write` with the counts of every build.

                | id | requirement | tests |""");
        jdks.forEach(jdk -> page.append(" JDK ").append(jdk).append(" |"));
        page.append("\n|---|---|---|").append("---|".repeat(jdks.size())).append('\n');
        requirements().forEach((id, sentence) -> {
            page.append("| ").append(id).append(" | ").append(sentence).append(" | ")
                    .append(tests.getOrDefault(id, Set.of()).stream().map(test -> "`" + test + "`")
                            .collect(Collectors.joining(", ")))
                    .append(" |");
            for (int jdk : jdks) {
                Result result = results.getOrDefault(id, Map.of()).get(jdk);
                page.append(' ').append(result == null ? "" : result.word).append(" |");
            }
            page.append('\n');
        });
        return page.toString();
    }

    /** The sentence of each requirement. */
    static Map<String, String> requirements() {
        try (InputStream in = ConformancePage.class.getResourceAsStream("requirements.tsv")) {
            Map<String, String> all = new LinkedHashMap<>();
            new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8).lines().map(line -> line.split("\t", 2))
                    .forEach(cells -> all.put(cells[0], cells[1]));
            return all;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The tests of this room that name requirements, with their ids. */
    static Map<String, String[]> named() {
        try (Stream<Path> files = Files.list(folder())) {
            Map<String, String[]> all = new TreeMap<>();
            for (String file : files.map(path -> path.getFileName().toString()).toList()) {
                if (file.endsWith("Test.class")) {
                    String name = "mayfly.e2e." + file.substring(0, file.length() - ".class".length());
                    for (Method method : Class.forName(name, false, ConformancePage.class.getClassLoader())
                            .getDeclaredMethods()) {
                        Requirement named = method.getAnnotation(Requirement.class);
                        if (named != null) {
                            all.put(name(method), named.value());
                        }
                    }
                }
            }
            return all;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (URISyntaxException | ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Path folder() throws URISyntaxException {
        return Path.of(Objects.requireNonNull(ConformancePage.class.getResource("ConformancePage.class")).toURI())
                .getParent();
    }

    static String name(Method test) {
        return test.getDeclaringClass().getSimpleName() + "." + test.getName();
    }
}
