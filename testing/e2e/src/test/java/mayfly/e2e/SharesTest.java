package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import mayfly.kit.Counts;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.profile.Frame;
import mayfly.profile.Profile;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The shares of methods in the samples equal their shares of CPU time. */
class SharesTest {
    private static final double TWO_POINTS = 0.02;
    private static final Map<String, Double> SHARES = Map.of("fifty", 0.5, "thirty", 0.3, "twenty", 0.2);

    static List<Jdk> jdks(TestInfo test) {
        return Scale.jdks(test);
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void sharesOfMethodsEqualTheProgramsOwn(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Shares").on(jdk).start()) {
            Profile profile = InProcessRecording.samples(Scale.count(3_000, 10_500), jvm, 999);
            Map<String, Long> found = new TreeMap<>();
            for (int i = 0; i < profile.sampleCount(); i++) {
                for (Frame frame : profile.stack(i).frames()) {
                    if (frame instanceof Frame.Managed managed
                            && managed.type().equals("mayfly.targets.Shares")
                            && SHARES.containsKey(managed.method())) {
                        found.merge(managed.method(), 1L, Long::sum);
                    }
                }
            }
            long total = found.values().stream().mapToLong(Long::longValue).sum();
            assertThat(total).as(InProcessRecording.evidence(profile)).isGreaterThan(Scale.count(1_000, 10_000));
            SHARES.forEach((method, share) -> Counts.assertShare(
                    method + " of " + found,
                    found.getOrDefault(method, 0L),
                    total,
                    share,
                    Scale.DEEP ? TWO_POINTS - Counts.chance(share, total) : TWO_POINTS));
        }
    }
}
