package mayfly.process.replay;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.zip.GZIPOutputStream;
import mayfly.arch.x86.X86_64;
import mayfly.process.Mapping;
import mayfly.process.MemoryFault;

/** Any body of a recording yields a readable process, or is refused. */
class RecordedProcessFuzzTest {
    /** Larger files would only exercise the available memory. */
    private static final long LARGE = 1 << 20;

    @FuzzTest
    void body(byte[] body) throws IOException {
        try (RecordedProcess process = RecordedProcess.read(X86_64.ARCHITECTURE, recording(body))) {
            for (Mapping mapping : process.mappings()) {
                boolean small = process.snapshot().files().stream().allMatch(f -> f.size() < LARGE);
                if (small) {
                    look(process, mapping);
                }
            }
            process.threads();
            byte[] again = SnapshotFormat.write(process.snapshot());
            assertThat(RecordedProcess.read(X86_64.ARCHITECTURE, again).mappings())
                    .isEqualTo(process.mappings());
        } catch (BadSnapshot e) {
            assertThat(e).hasMessageMatching("(?s).+");
        }
    }

    private static void look(RecordedProcess process, Mapping mapping) {
        try {
            assertThat(process.file(mapping).byteSize()).isLessThan(LARGE);
            process.memory().readLong(mapping.start());
        } catch (IOException | MemoryFault e) {
            assertThat(e).hasMessageMatching("(?s).+");
        }
    }

    private static byte[] recording(byte[] body) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.write("mayfly-process 1\n".getBytes(StandardCharsets.US_ASCII));
        try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
            gzip.write(body);
        }
        return bytes.toByteArray();
    }
}
