package mayfly.e2e;

import java.time.Duration;
import java.util.List;
import mayfly.kit.Jdk;
import org.junit.jupiter.api.TestInfo;

/**
 * The extent of the tests. Every build runs each test with small counts, on JDK 17 or 25. {@code -Djdks=all}, and a run
 * that writes docs/conformance.md, use every JDK; {@code -Pdeep} also has the full counts of the specification.
 */
final class Scale {
    static final boolean DEEP = Boolean.getBoolean("mayfly.deep");
    private static final boolean ALL_JDKS = DEEP || "all".equals(System.getProperty("jdks"));
    private static final boolean EACH_JDK = ALL_JDKS || System.getProperty("conformance") != null;

    private Scale() {}

    /** Returns JDK 17 and 25; with deep counts or {@code -Djdks=all}, every JDK found. */
    static List<Jdk> jdks() {
        return Jdk.oneOfEach().stream()
                .filter(jdk -> ALL_JDKS || jdk.feature() == 17 || jdk.feature() == 25)
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

    /** Returns the first value in a normal build, and all with deep counts. */
    static List<String> some(String... values) {
        return DEEP ? List.of(values) : List.of(values[0]);
    }

    static Duration seconds(int reduced, int deep) {
        return Duration.ofSeconds(DEEP ? deep : reduced);
    }

    static int count(int reduced, int deep) {
        return DEEP ? deep : reduced;
    }
}
