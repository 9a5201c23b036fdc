package mayfly.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import mayfly.kit.Empty;
import mayfly.kit.Partly;
import mayfly.kit.Requirement;

/**
 * The requirements in the tests' annotations.
 *
 * @param tests the requirement ids of each test that names requirements
 * @param partly for each requirement that its tests show only in part, the missing part
 * @param empty for each requirement that applies to nothing, the reason
 */
record RequirementAnnotations(Map<String, Set<String>> tests, Map<String, String> partly, Map<String, String> empty) {

    /** Reads the annotations of all tests of this module. */
    static RequirementAnnotations read() {
        var shown = new RequirementAnnotations(new TreeMap<>(), new TreeMap<>(), new TreeMap<>());
        try (Stream<Path> files = Files.list(folder())) {
            for (String file : files.map(path -> path.getFileName().toString()).toList()) {
                if (file.endsWith("Test.class")) {
                    String name = "mayfly.e2e." + file.substring(0, file.length() - ".class".length());
                    for (Method method : Class.forName(name, false, RequirementAnnotations.class.getClassLoader())
                            .getDeclaredMethods()) {
                        shown.add(method);
                    }
                }
            }
            return shown;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (URISyntaxException | ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    private void add(Method method) {
        Requirement named = method.getAnnotation(Requirement.class);
        if (named != null) {
            tests.put(name(method), new TreeSet<>(Set.of(named.value())));
        }
        for (Partly lacking : method.getAnnotationsByType(Partly.class)) {
            put(partly, lacking.value());
        }
        for (Empty without : method.getAnnotationsByType(Empty.class)) {
            put(empty, without.value());
        }
    }

    private static void put(Map<String, String> remarks, String value) {
        String[] parts = value.split(": ", 2);
        if (parts.length != 2 || remarks.putIfAbsent(parts[0], parts[1]) != null) {
            throw new IllegalStateException("a remark needs an id, a colon and words, and is made once: " + value);
        }
    }

    /** Returns the tests that name a requirement. */
    Set<String> testsOf(String id) {
        var named = new TreeSet<String>();
        tests.forEach((test, ids) -> {
            if (ids.contains(id)) {
                named.add(test);
            }
        });
        return named;
    }

    /** Returns the remark about a requirement for the reader, empty if it is fully met. */
    String remark(String id) {
        return partly.getOrDefault(id, empty.getOrDefault(id, ""));
    }

    static String name(Method test) {
        return test.getDeclaringClass().getSimpleName() + "." + test.getName();
    }

    private static Path folder() throws URISyntaxException {
        var file = RequirementAnnotations.class.getResource("RequirementAnnotations.class");
        return Path.of(Objects.requireNonNull(file).toURI()).getParent();
    }
}
