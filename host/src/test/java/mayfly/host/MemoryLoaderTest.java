package mayfly.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class MemoryLoaderTest {
    /** Has no parent: here the host is a module of the boot layer, which the platform loader would consult. */
    private final MemoryLoader loader = new MemoryLoader("test", null);

    private static byte[] entry(String name, byte[] content) {
        byte[] text = name.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(8 + text.length + content.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(text.length)
                .put(text)
                .putInt(content.length)
                .put(content)
                .array();
    }

    @Test
    void classesAndResourcesAreLoadedFromTheEntries() throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(entry("mayfly/host/Life$State.class", ownClass("Life$State")));
        bytes.writeBytes(entry("a/text", "here".getBytes(StandardCharsets.UTF_8)));
        assertThat(loader.add(bytes.toByteArray())).isTrue();
        Class<?> loaded = Class.forName("mayfly.host.Life$State", true, loader);
        assertThat(loaded).isNotSameAs(Life.State.class);
        assertThat(loaded.getClassLoader()).isSameAs(loader);
        assertThat(loader.getResourceAsStream("a/text")).hasContent("here");
        assertThat(loader.apply("a/text")).asString().isEqualTo("here");
        assertThatThrownBy(() -> loader.loadClass("no.such.Thing")).isInstanceOf(ClassNotFoundException.class);
    }

    @Test
    void firstEntryOfANameIsKept() {
        loader.add(entry("a", new byte[] {1}));
        loader.add(entry("a", new byte[] {2}));
        assertThat(loader.apply("a")).containsExactly(1);
    }

    @Test
    void forgottenEntriesAreNotFound() {
        loader.add(entry("a", new byte[] {1}));
        assertThat(loader.apply(MemoryLoader.FORGET)).isNull();
        assertThat(loader.apply("a")).isNull();
    }

    @Test
    void malformedEntriesAreRefused() {
        byte[] whole = entry("name", new byte[10]);
        for (int length = 1; length < whole.length; length++) {
            assertThat(loader.add(Arrays.copyOf(whole, length)))
                    .as("%d bytes", length)
                    .isFalse();
        }
        assertThat(loader.add(new byte[] {-1, -1, -1, -1, 0, 0, 0, 0})).isFalse();
        assertThat(loader.add(new byte[0])).isFalse();
    }

    private static byte[] ownClass(String name) throws IOException {
        try (var in = MemoryLoaderTest.class.getResourceAsStream(name + ".class")) {
            return in.readAllBytes();
        }
    }
}
