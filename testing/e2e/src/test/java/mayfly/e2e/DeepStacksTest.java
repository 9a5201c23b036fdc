package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.profile.Frame;
import mayfly.profile.Profile;
import mayfly.profile.WalkOutcome;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Stacks with more frames than Mayfly keeps. */
class DeepStacksTest {
    private static final int KEPT = 8192;

    static List<Jdk> jdks(TestInfo test) {
        return Scale.jdks(test);
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void stackAboveTheFrameLimitKeepsItsRootAndLeaf(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("DeepWork").on(jdk).args("20000").start()) {
            Profile profile = InProcessRecording.samples(60, jvm, 99);
            int deep = 0;
            int whole = 0;
            for (int i = 0; i < profile.sampleCount(); i++) {
                // Frames beyond the saved part of a stack, here 1 MiB, are unproven.
                if (profile.outcomeOf(i) != WalkOutcome.SHORTENED && profile.outcomeOf(i) != WalkOutcome.UNPROVEN) {
                    continue;
                }
                deep++;
                List<Frame> frames = profile.stack(i).frames().reversed();
                int count = frames.size();
                // On a slow machine the CPU time for deep walks is soon exhausted; then most of the outer half is
                // skipped, too.
                whole += count == KEPT + 1 ? 1 : 0;
                assertThat(count).isBetween(KEPT / 2 + 2, KEPT + 1);
                assertThat(frames).filteredOn(Frame.Omitted.class::isInstance).hasSize(1);
                assertThat(frames.get(KEPT / 2)).isInstanceOf(Frame.Omitted.class);
                assertThat(frames.getLast()).as("the thread's first function").isInstanceOf(Frame.Native.class);
                assertThat(frames.subList(count - 41, count - 1))
                        .extracting(Frame::label)
                        .contains("java.lang.Thread.run");
                // The innermost method may still be linking a call, many frames deep.
                assertThat(frames.subList(0, KEPT / 2))
                        .extracting(Frame::label)
                        .contains("mayfly.targets.DeepWork.descend");
            }
            assertThat(deep).as(InProcessRecording.evidence(profile)).isGreaterThan(profile.sampleCount() / 2);
            assertThat(whole).as(InProcessRecording.evidence(profile)).isPositive();
            assertThat(profile.ledger().shortened() + profile.ledger().unproven())
                    .isEqualTo(deep);
        }
    }

    /** A walk of such a stack to its root takes many periods, even if the target hardly runs. */
    @ParameterizedTest
    @MethodSource("jdks")
    void stackKeepsItsRootWhenTheDeepWalkTimeIsSpent(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("DeepWork").on(jdk).args("60000").start()) {
            Profile profile = InProcessRecording.samples(600, jvm, 4_999);
            int deep = 0;
            int rooted = 0;
            int skipped = 0;
            for (int i = 0; i < profile.sampleCount(); i++) {
                if (!profile.threads().get(profile.threadOf(i)).name().equals("deep")) {
                    continue; // on a busy machine, the JVM's own threads have many of the samples
                }
                deep++;
                List<Frame> frames = profile.stack(i).frames();
                boolean hasRoot =
                        frames.stream().anyMatch(frame -> frame.label().equals("java.lang.Thread.run"));
                rooted += hasRoot ? 1 : 0;
                if (hasRoot && frames.size() < KEPT && frames.stream().anyMatch(Frame.Omitted.class::isInstance)) {
                    skipped++;
                    assertThat(profile.outcomeOf(i)).isEqualTo(WalkOutcome.UNPROVEN);
                }
            }
            assertThat(skipped).as(InProcessRecording.evidence(profile)).isPositive();
            assertThat(rooted).as(InProcessRecording.evidence(profile)).isGreaterThan(deep * 3 / 4);
        }
    }

    /** A walk that does not reach the root within its limit is marked as truncated. */
    @ParameterizedTest
    @MethodSource("jdks")
    void stackDeeperThanTheWalkLimitIsTruncated(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("DeepWork").on(jdk).args("200000").start()) {
            Profile profile = InProcessRecording.samples(20, jvm, 49);
            assertThat(profile.ledger().truncated())
                    .as(InProcessRecording.evidence(profile))
                    .isPositive();
            assertThat(profile.ledger().shortened()).isZero();
        }
    }
}
