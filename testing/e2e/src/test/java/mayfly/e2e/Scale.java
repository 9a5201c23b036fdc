package mayfly.e2e;

import java.time.Duration;
import java.util.List;
import mayfly.kit.Jdk;

/** How much is tried: a little in every build, the full counts of the specification with {@code -Pdeep}. */
final class Scale {
    static final boolean DEEP = Boolean.getBoolean("mayfly.deep");

    private Scale() {
    }

    /** JDK 17 and 25; when deep, every JDK found. */
    static List<Jdk> jdks() {
        return Jdk.oneOfEach().stream().filter(jdk -> DEEP || jdk.feature() == 17 || jdk.feature() == 25).toList();
    }

    static Duration seconds(int reduced, int deep) {
        return Duration.ofSeconds(DEEP ? deep : reduced);
    }

    static int count(int reduced, int deep) {
        return DEEP ? deep : reduced;
    }
}
