package mayfly.fuzz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32C;
import mayfly.profile.BadCapture;
import mayfly.profile.Detail;
import mayfly.profile.Frame;
import mayfly.profile.Measure;
import mayfly.profile.Profile;
import mayfly.profile.SampledEvent;
import mayfly.profile.capture.CaptureReader;
import mayfly.profile.capture.records.CaptureFormat;

/**
 * Any records, in blocks with correct checksums, yield a profile whose data can all be read, or are refused. The inputs
 * {@code whole} and {@code cut} were written as version 1. A header of version 1 is refused, and with a header of
 * version 2 their records are malformed.
 */
class CaptureFuzzTest {
    private static final int MAX_SAMPLES = 100;

    @FuzzTest
    void records(byte[] records) throws IOException {
        assertThatThrownBy(() -> CaptureReader.read(new ByteArrayInputStream(capture(records, 1))))
                .isInstanceOf(BadCapture.class)
                .hasMessageContaining("version 1");
        try {
            byte[] capture = capture(records, CaptureFormat.VERSION);
            CaptureReader.summary(new ByteArrayInputStream(capture));
            CaptureReader.threadTotals(new ByteArrayInputStream(capture));
            CaptureReader.read(new ByteArrayInputStream(capture), Detail.SUMS);
            Profile profile = CaptureReader.read(new ByteArrayInputStream(capture));
            for (int i = 1; i < profile.stackCount(); i++) {
                assertThat(profile.parentOf(i)).isLessThan(i);
                assertThat(profile.frames()).hasSizeGreaterThan(profile.frameOf(i));
            }
            for (int i = 0; i < Math.min(profile.sampleCount(), MAX_SAMPLES); i++) {
                assertThat(profile.stack(i).frames()).hasSizeLessThanOrEqualTo(CaptureFormat.MAX_STACK_DEPTH);
                assertThat(profile.threads()).hasSizeGreaterThan(profile.threadOf(i));
                assertThat(profile.sample(i)).isNotNull();
            }
            for (SampledEvent event : profile.recording().events()) {
                event(CaptureReader.read(
                        new ByteArrayInputStream(capture), Detail.EVERY_SAMPLE, CaptureReader.ANY_REACH, event.name()));
            }
            profile.ledger().rows();
            profile.frames().forEach(Frame::label);
        } catch (BadCapture e) {
            assertThat(e).hasMessageMatching("(?s).+");
        }
    }

    private static void event(Profile profile) {
        for (int i = 0; i < Math.min(profile.sampleCount(), MAX_SAMPLES); i++) {
            for (Measure measure : profile.event().measures()) {
                if (measure.isNumber()) {
                    profile.valueOf(i, measure);
                } else {
                    assertThat(profile.stateOf(i)).isNotNull();
                }
            }
        }
    }

    private static byte[] capture(byte[] records, int version) {
        ByteBuffer file = ByteBuffer.allocate(2 * records.length + 64).order(ByteOrder.LITTLE_ENDIAN);
        file.put(CaptureFormat.MAGIC).putInt(version).putInt(0);
        for (int at = 0; at < records.length; at += CaptureFormat.MAX_BLOCK_BYTES) {
            int length = Math.min(CaptureFormat.MAX_BLOCK_BYTES, records.length - at);
            CRC32C sum = new CRC32C();
            sum.update(records, at, length);
            file.putInt(length).putInt((int) sum.getValue()).put(records, at, length);
        }
        return Arrays.copyOf(file.array(), file.position());
    }
}
