package mayfly.profile;

import static mayfly.profile.WrittenCaptures.R1;
import static mayfly.profile.WrittenCaptures.RUN;
import static mayfly.profile.WrittenCaptures.STUB;
import static mayfly.profile.WrittenCaptures.capture;
import static mayfly.profile.WrittenCaptures.recording;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.channels.Channels;
import java.util.Arrays;
import java.util.SplittableRandom;
import mayfly.profile.capture.CaptureReader;
import mayfly.profile.capture.CaptureSummary;
import mayfly.profile.capture.CaptureWriter;
import mayfly.profile.capture.Captures;
import org.junit.jupiter.api.Test;

/** A capture is read without keeping every sample. */
class CaptureSumsTest {
    @Test
    void sumsHaveEachDistinctStackOnceWithItsTotals() throws Exception {
        var out = new ByteArrayOutputStream();
        try (var writer = new CaptureWriter(Channels.newChannel(out), recording())) {
            writer.thread(1, 0, 0, "main");
            writer.thread(2, 0, 0, "other");
            int frame = writer.frame(STUB);
            for (int i = 0; i < 4; i++) {
                int stack = writer.stack(writer.stack(0, frame), frame); // the same under new ids
                writer.sample(0, i, i % 2, stack, i - 1, WalkOutcome.COMPLETE);
            }
            writer.sample(0, 5, 0, 2, 7, WalkOutcome.NO_CFI);
        }
        Profile sums = CaptureReader.read(new ByteArrayInputStream(out.toByteArray()), Detail.SUMS);
        assertThat(sums.isSummed()).isTrue();
        assertThat(sums.hasSameValues()).isFalse();
        assertThat(sums.stackCount()).isEqualTo(3);
        assertThat(sums.sampleCount()).isEqualTo(3);
        assertThat(sums.sample(0)).isEqualTo(new Sample(0, 0, 2, 1, WalkOutcome.COMPLETE));
        assertThat(sums.sample(1)).isEqualTo(new Sample(0, 1, 2, 2, WalkOutcome.COMPLETE));
        assertThat(sums.sample(2)).isEqualTo(new Sample(0, 0, 2, 7, WalkOutcome.NO_CFI));
        assertThat(sums.countOf(0)).isEqualTo(2);
        assertThat(sums.stack(1).frames()).containsExactly(STUB, STUB);
        assertThat(sums.ledger().samples()).isEqualTo(5);
        assertThatThrownBy(() -> Captures.write(sums, new ByteArrayOutputStream()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void summaryCountsWithoutKeepingTheCapture() throws Exception {
        CaptureSummary whole = CaptureReader.summary(new ByteArrayInputStream(capture()));
        assertThat(whole.recording()).isEqualTo(recording());
        assertThat(whole.warnings()).isEmpty();
        assertThat(whole)
                .returns(5L, CaptureSummary::frames)
                .returns(5L, CaptureSummary::stacks)
                .returns(5L, CaptureSummary::distinctStacks)
                .returns(1L, CaptureSummary::threads)
                .returns(3L, CaptureSummary::samples)
                .returns(3L, CaptureSummary::distinctSamples);
        CaptureSummary cut = CaptureReader.summary(new ByteArrayInputStream(Arrays.copyOf(capture(), 600)));
        assertThat(cut.warnings()).isNotEmpty();
    }

    @Test
    void summaryEstimatesDistinctStacks() throws Exception {
        var out = new ByteArrayOutputStream();
        try (var writer = new CaptureWriter(Channels.newChannel(out), recording())) {
            writer.thread(1, 0, 0, "main");
            for (int i = 0; i < 1000; i++) {
                writer.frame(new Frame.Stub(R1, "s" + i));
            }
            for (int i = 0; i < 300_000; i++) {
                int stack = writer.stack(writer.stack(0, i % 100), i / 100 % 1000);
                writer.sample(0, i, 0, stack, 1, WalkOutcome.COMPLETE);
            }
        }
        CaptureSummary summary = CaptureReader.summary(new ByteArrayInputStream(out.toByteArray()));
        Profile profile = CaptureReader.read(new ByteArrayInputStream(out.toByteArray()), Detail.SUMS);
        assertThat(summary.stacks()).isEqualTo(600_000);
        assertThat(profile.stackCount() - 1).isEqualTo(100_100);
        assertThat((double) summary.distinctStacks()).isBetween(90_000.0, 110_000.0);
        assertThat(profile.sampleCount()).isEqualTo(100_000);
        assertThat((double) summary.distinctSamples()).isBetween(90_000.0, 110_000.0);
    }

    @Test
    void readingWithTheKnownReachYieldsTheSameProfile() throws Exception {
        var out = new ByteArrayOutputStream();
        var random = new SplittableRandom(2);
        try (var writer = new CaptureWriter(Channels.newChannel(out), recording())) {
            writer.thread(1, 0, 0, "main");
            int frame = writer.frame(STUB);
            int other = writer.frame(RUN);
            int last = 0;
            for (int i = 0; i < 5000; i++) {
                int parent = i % 9 == 0 ? 0 : Math.max(0, last - random.nextInt(300));
                last = writer.stack(parent, random.nextBoolean() ? frame : other);
                writer.sample(0, i, 0, Math.max(0, last - random.nextInt(300)), 1, WalkOutcome.COMPLETE);
            }
        }
        int reach = CaptureReader.summary(new ByteArrayInputStream(out.toByteArray()))
                .reach();
        assertThat(reach).isBetween(250, 301);
        Profile all = CaptureReader.read(new ByteArrayInputStream(out.toByteArray()), Detail.SUMS);
        Profile same = CaptureReader.read(new ByteArrayInputStream(out.toByteArray()), Detail.SUMS, reach);
        assertThat(same.sampleCount()).isEqualTo(all.sampleCount());
        for (int i = 0; i < all.sampleCount(); i++) {
            assertThat(same.stack(i)).isEqualTo(all.stack(i));
            assertThat(same.countOf(i)).isEqualTo(all.countOf(i));
        }
        assertThat(CaptureReader.read(new ByteArrayInputStream(out.toByteArray()), Detail.SUMS, 20)
                        .warnings()
                        .toString())
                .contains("further back than the given reach");
    }
}
