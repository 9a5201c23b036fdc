package mayfly.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import mayfly.api.Event;
import mayfly.api.Profiler;
import mayfly.api.Status;
import mayfly.wire.MessageSize;
import org.junit.jupiter.api.Test;

/** The host's part in what crosses the process's border. */
class WireTest {
    private static final Path GOLDEN = Path.of("..", "wire", "src", "test", "golden");

    /** The trigger sends the classes of the host and of the api into a target, and no others. */
    @Test
    void noClassForTheTargetRefersToTheRoomWire() throws Exception {
        for (Class<?> one : List.of(Host.class, Profiler.class)) {
            Path classes = Path.of(one.getProtectionDomain().getCodeSource().getLocation().toURI());
            List<Path> files;
            try (Stream<Path> all = Files.list(classes.resolve(one.getPackageName().replace('.', '/')))) {
                files = all.filter(file -> file.toString().endsWith(".class")).toList();
            }
            assertThat(files).isNotEmpty();
            for (Path file : files) {
                assertThat(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1)).as("%s", file)
                        .doesNotContain("mayfly/wire", "mayfly.wire");
            }
        }
    }

    @Test
    void anAnswerHasTheGoldenBytes() throws IOException {
        byte[] message = Files.readAllBytes(GOLDEN.resolve("result.bin"));
        assertThat(Reply.refused(Status.ATTACH_REFUSED, "no room"))
                .isEqualTo(Arrays.copyOfRange(message, MessageSize.HEAD - 1, message.length));
    }

    @Test
    void aMaskHasTheBitsOfTheEventsNumbers() {
        assertThat(Start.mask(new byte[] {(byte) Event.CLASS_LOADS.number(), (byte) Event.SUSPENSIONS.number()}))
                .isEqualTo(1 << 1 | 1 << 5);
    }
}
