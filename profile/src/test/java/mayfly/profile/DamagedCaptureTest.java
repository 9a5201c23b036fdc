package mayfly.profile;

import static mayfly.profile.WrittenCaptures.capture;
import static mayfly.profile.WrittenCaptures.read;
import static mayfly.profile.WrittenCaptures.repair;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.util.Arrays;
import java.util.SplittableRandom;
import mayfly.profile.capture.CaptureReader;
import mayfly.profile.capture.ThreadTotals;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A capture that is truncated, damaged or of another version is read as far as possible, or refused. */
class DamagedCaptureTest {
    @Test
    void captureTruncatedAnywhereIsReadable() throws Exception {
        byte[] whole = capture();
        int lastCount = 0;
        for (int length = 0; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            try {
                Profile profile = read(cut);
                assertThat(profile.warnings()).as("cut at %d", length).isNotEmpty();
                assertThat(profile.ledger().cutShort() || profile.sampleCount() == 3)
                        .isTrue();
                assertThat(profile.ledger().samples()).isEqualTo(profile.sampleCount());
                assertThat(profile.sampleCount()).isGreaterThanOrEqualTo(lastCount);
                lastCount = profile.sampleCount();
            } catch (BadCapture e) {
                assertThat(lastCount)
                        .as("no sample was readable in a shorter file")
                        .isZero();
            }
        }
        assertThat(lastCount).isEqualTo(3);
    }

    @Test
    @Tag("slow")
    void damagedCaptureIsRefusedOrWarnedAbout() throws Exception {
        byte[] whole = capture();
        for (long seed = 0; seed < 20_000; seed++) {
            var random = new SplittableRandom(seed);
            byte[] bytes = whole.clone();
            for (int i = random.nextInt(4); i >= 0; i--) {
                bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            }
            try {
                Profile profile = read(bytes);
                boolean same = Arrays.equals(whole, 0, 12, bytes, 0, 12)
                        && Arrays.equals(whole, 16, whole.length, bytes, 16, bytes.length);
                assertThat(profile.warnings().isEmpty()).as("seed %d", seed).isEqualTo(same);
            } catch (BadCapture e) {
                assertThat(e.getMessage()).as("seed %d", seed).isNotBlank();
            }
        }
    }

    /** Damages the records and corrects the checksums, so that the records themselves are invalid. */
    @Test
    @Tag("slow")
    void invalidRecordsWithValidChecksumsEndTheReading() throws Exception {
        byte[] whole = capture();
        for (long seed = 0; seed < 20_000; seed++) {
            var random = new SplittableRandom(seed);
            byte[] bytes = whole.clone();
            bytes[24 + random.nextInt(bytes.length - 24)] = (byte) random.nextInt();
            repair(bytes);
            try {
                Profile profile = read(bytes);
                for (int i = 0; i < profile.sampleCount(); i++) {
                    assertThat(profile.stack(i).frames()).as("seed %d", seed).hasSizeLessThan(10);
                }
                profile.ledger().rows();
                for (ThreadTotals.Total total : threadTotals(bytes).totals()) {
                    assertThat(total.sum()).as("seed %d", seed).isNotNegative();
                }
            } catch (BadCapture e) {
                assertThat(e.getMessage()).as("seed %d", seed).isNotBlank();
            }
        }
    }

    private static ThreadTotals threadTotals(byte[] bytes) throws Exception {
        return CaptureReader.threadTotals(new ByteArrayInputStream(bytes));
    }

    @Test
    void totalsOfATruncatedCaptureAreThoseOfItsSamples() throws Exception {
        byte[] whole = capture();
        byte[] cut = Arrays.copyOf(whole, whole.length - 1);
        ThreadTotals totals = threadTotals(cut);
        assertThat(totals.warnings()).isNotEmpty();
        assertThat(totals.totals().stream()
                        .mapToLong(ThreadTotals.Total::samples)
                        .sum())
                .isEqualTo(read(cut).sampleCount());
        assertThatThrownBy(() -> threadTotals(new byte[20])).isInstanceOf(BadCapture.class);
    }

    @Test
    void otherFilesAndOtherVersionsAreRefused() throws Exception {
        assertThatThrownBy(() -> read("PK\3\4 a zip file, not ours".getBytes()))
                .isInstanceOf(BadCapture.class)
                .hasMessageContaining("not a mayfly capture");
        byte[] other = capture();
        other[8] = 1;
        assertThatThrownBy(() -> read(other))
                .isInstanceOf(BadCapture.class)
                .hasMessage("capture version 1, written by an older Mayfly; record again");
        other[8] = 3;
        assertThatThrownBy(() -> read(other)).isInstanceOf(BadCapture.class).hasMessageContaining("version 3");
    }

    @Test
    void samplesOfAnEventThatWasNotDeclaredEndTheReading() throws Exception {
        byte[] bytes = capture();
        int at = 0;
        while (bytes[at] != 64 || bytes[at + 1] < 8 || bytes[at + 1] > 20) {
            at++;
        }
        bytes[at] = 65;
        repair(bytes);
        assertThat(read(bytes).warnings().toString()).contains("event 1 is not below 1");
    }
}
