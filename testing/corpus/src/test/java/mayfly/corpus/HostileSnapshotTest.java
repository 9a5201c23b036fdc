package mayfly.corpus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import mayfly.arch.x86.X86_64;
import mayfly.hotspot.tables.UnsupportedVm;
import mayfly.process.replay.BadSnapshot;
import mayfly.process.replay.RecordedProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A damaged snapshot is rejected, or the walk ends with an outcome. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HostileSnapshotTest {
    private static final int HEADER = "mayfly-process 1\n".length();
    private static final int ROUNDS = Boolean.getBoolean("mayfly.deep") ? 2000 : 40;

    @Test
    void bytesThatAreNoRecordingAreRefused() {
        assertThatThrownBy(() -> RecordedProcess.read(X86_64.ARCHITECTURE, new byte[0]))
                .isInstanceOf(BadSnapshot.class);
        assertThatThrownBy(() -> RecordedProcess.read(X86_64.ARCHITECTURE, new byte[100]))
                .isInstanceOf(BadSnapshot.class);
    }

    @Test
    void truncatedRecordingIsRefused() throws IOException {
        byte[] whole = first().bytes();
        for (int length = 0; length < whole.length - 8; length += 97) {
            byte[] torn = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> RecordedProcess.read(X86_64.ARCHITECTURE, torn))
                    .as("%d bytes", length)
                    .isInstanceOf(BadSnapshot.class);
        }
    }

    @Test
    @Tag("slow")
    void walkOfADamagedRecordingEndsInAnOutcome() throws IOException {
        List<Case> cases = CorpusTest.cases();
        int walked = 0;
        for (int seed = 0; seed < ROUNDS; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            Case one = cases.get(random.nextInt(cases.size()));
            byte[] base = Files.readAllBytes(one.folder().resolve(Case.BASE));
            byte[] damaged = damage(one.bytes(), random);
            try {
                Replay.of(RecordedProcess.read(X86_64.ARCHITECTURE, base, damaged));
                walked++;
            } catch (BadSnapshot | IOException | UnsupportedVm e) {
                continue;
            } catch (RuntimeException | Error e) {
                throw new AssertionError(one + " damaged with seed " + seed, e);
            }
        }
        assertThat(walked).isPositive();
    }

    private static Case first() throws IOException {
        return CorpusTest.cases().getFirst();
    }

    /** Changes some bytes of the body, mostly near its end, where the files, the registers and the stack are. */
    private static byte[] damage(byte[] snapshot, SplittableRandom random) throws IOException {
        byte[] body;
        try (GZIPInputStream in =
                new GZIPInputStream(new ByteArrayInputStream(snapshot, HEADER, snapshot.length - HEADER))) {
            body = in.readAllBytes();
        }
        for (int i = random.nextInt(1, 12); i > 0; i--) {
            int back = random.nextInt(1 << random.nextInt(1, 32 - Integer.numberOfLeadingZeros(body.length - 1)));
            body[body.length - 1 - back] = (byte) random.nextInt();
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(snapshot, 0, HEADER);
        try (GZIPOutputStream zip = new GZIPOutputStream(out)) {
            zip.write(body);
        }
        return out.toByteArray();
    }
}
