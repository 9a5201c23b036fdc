package mayfly.e2e;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import mayfly.kit.Jdk;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.params.provider.Arguments;

/**
 * The extent of the tests. Every build runs each test with small counts, on JDK 17 or 25. {@code -Djdks=all} uses every
 * JDK found, and {@code -Djdks=21,26} those of these versions; {@code -Pdeep} also has the full counts of the
 * specification.
 */
final class Scale {
    static final boolean DEEP = Boolean.getBoolean("mayfly.deep");
    private static final Set<Integer> USUAL = Set.of(17, 25);
    private static final String JDKS = System.getProperty("jdks", DEEP ? "all" : "");
    private static final boolean EACH_JDK = !JDKS.isEmpty() || System.getProperty("conformance") != null;

    private Scale() {}

    /** Returns JDK 17 and 25, regardless of {@code -Djdks}; those of them that are installed. */
    static List<Jdk> usual() {
        return installed(USUAL);
    }

    /** Returns JDK 17 and 25, those that {@code -Djdks} names, or every JDK found. */
    static List<Jdk> jdks() {
        if (JDKS.equals("all")) {
            return Jdk.oneOfEach();
        }
        return JDKS.isEmpty()
                ? usual()
                : installed(Stream.of(JDKS.split(",")).map(Integer::valueOf).collect(Collectors.toSet()));
    }

    private static List<Jdk> installed(Set<Integer> wanted) {
        return Jdk.oneOfEach().stream()
                .filter(jdk -> wanted.contains(jdk.feature()))
                .toList();
    }

    /**
     * Returns one of {@link #jdks()} for each test in a normal build: the name of the test chooses, so that each JDK
     * has half of the tests and a test always has the same JDK. Otherwise returns all of them.
     */
    static List<Jdk> jdks(TestInfo test) {
        List<Jdk> all = jdks();
        if (EACH_JDK || all.size() < 2) {
            return all;
        }
        String name = test.getTestMethod().orElseThrow().toGenericString();
        return List.of(all.get(Math.floorMod(name.hashCode(), all.size())));
    }

    /** Returns each value with each of {@link #jdks(TestInfo)}, as arguments of a test. */
    static List<Arguments> jdks(TestInfo test, List<?> values) {
        return values.stream()
                .flatMap(value -> jdks(test).stream().map(jdk -> Arguments.of(value, jdk)))
                .toList();
    }

    /** Returns the first value in a normal build, and all with deep counts. */
    static List<String> some(String... values) {
        return DEEP ? List.of(values) : List.of(values[0]);
    }

    /** Returns every second value in a normal build, the first or the second one at first, and all otherwise. */
    static <T> List<T> half(List<T> values, int at) {
        return EACH_JDK
                ? values
                : IntStream.range(0, values.size())
                        .filter(i -> (i + at) % 2 == 0)
                        .mapToObj(values::get)
                        .toList();
    }

    static Duration seconds(int reduced, int deep) {
        return Duration.ofSeconds(DEEP ? deep : reduced);
    }

    static int count(int reduced, int deep) {
        return DEEP ? deep : reduced;
    }
}
