package mayfly.attach.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.client.ProfilerJar.ApiPolicy;

/** Any file is accepted as a profiler jar or refused with a reason. */
class ProfilerJarFuzzTest {
    private static final int FEATURE = 25;

    @FuzzTest
    void jar(byte[] content) throws IOException {
        Path file = Files.createTempFile("mayfly-fuzz", ".jar");
        try {
            Files.write(file, content);
            read(file, Optional.empty());
            read(file, Optional.of("p.P"));
        } finally {
            Files.delete(file);
        }
    }

    private static void read(Path file, Optional<String> chosen) {
        try {
            ProfilerJar jar = ProfilerJar.read(file, chosen, ApiPolicy.OLDER, FEATURE);
            assertThat(jar.className()).isNotEmpty();
            assertThat(jar.entries().length).isLessThanOrEqualTo(ProfilerJar.MAX_SIZE);
            ByteBuffer entries = ByteBuffer.wrap(jar.entries()).order(ByteOrder.LITTLE_ENDIAN);
            int count = 0;
            for (; entries.hasRemaining(); count++) {
                skip(entries);
                skip(entries);
            }
            assertThat(count).isPositive();
        } catch (AttachFailed e) {
            assertThat(e.getMessage()).isNotEmpty();
        }
    }

    private static void skip(ByteBuffer entries) {
        int length = entries.getInt();
        entries.position(entries.position() + length);
    }
}
