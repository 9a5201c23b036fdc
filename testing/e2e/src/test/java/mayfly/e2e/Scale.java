package mayfly.e2e;

import java.time.Duration;
import java.util.List;
import mayfly.kit.Jdk;

/** The extent of the tests: small counts in every build, the full counts of the specification with {@code -Pdeep}. */
final class Scale {
    static final boolean DEEP = Boolean.getBoolean("mayfly.deep");
    private static final boolean ALL_JDKS = DEEP || "all".equals(System.getProperty("jdks"));

    private Scale() {
    }

    /** Returns JDK 17 and 25; with deep counts or {@code -Djdks=all}, every JDK found. */
    static List<Jdk> jdks() {
        return Jdk.oneOfEach().stream().filter(jdk -> ALL_JDKS || jdk.feature() == 17 || jdk.feature() == 25).toList();
    }

    static Duration seconds(int reduced, int deep) {
        return Duration.ofSeconds(DEEP ? deep : reduced);
    }

    static int count(int reduced, int deep) {
        return DEEP ? deep : reduced;
    }
}
