package mayfly.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import mayfly.api.Event;
import mayfly.api.Profiler;
import mayfly.api.Status;
import mayfly.api.event.AllocationSample;
import mayfly.host.channel.Reply;
import mayfly.wire.message.MessageSize;
import org.junit.jupiter.api.Test;

/** The host's part in the data that crosses the process boundary. */
class WireTest {
    private static final Path GOLDEN = Path.of("..", "wire", "src", "test", "golden");

    /** The trigger sends only the classes of the host and of the api into a target. */
    @Test
    void noClassForTheTargetRefersToTheRoomWire() throws Exception {
        for (Class<?> one : List.of(Host.class, Profiler.class, AllocationSample.class)) {
            Path room = Path.of(
                    one.getProtectionDomain().getCodeSource().getLocation().toURI());
            if (Files.isDirectory(room)) {
                assertNamesNothingOfWire(room.resolve(one.getPackageName().replace('.', '/')));
            } else {
                try (FileSystem jar = FileSystems.newFileSystem(room)) {
                    assertNamesNothingOfWire(jar.getPath(one.getPackageName().replace('.', '/')));
                }
            }
        }
    }

    private static void assertNamesNothingOfWire(Path classes) throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.list(classes)) {
            files = all.filter(file -> file.toString().endsWith(".class")).toList();
        }
        assertThat(files).isNotEmpty();
        for (Path file : files) {
            assertThat(references(file)).as("%s", file).noneMatch(reference -> reference.contains("mayfly/wire"));
        }
    }

    /**
     * Returns the classes that the code of a class file can resolve: those of its fields and methods, and all
     * descriptors. This excludes the entry of a class whose constants were copied, which javac adds for tools (JVMS
     * 4.4).
     */
    private static List<String> references(Path file) throws IOException {
        try (DataInputStream in = new DataInputStream(Files.newInputStream(file))) {
            in.readLong(); // magic, version
            int count = in.readUnsignedShort();
            String[] texts = new String[count];
            int[] names = new int[count];
            List<Integer> owners = new ArrayList<>();
            for (int i = 1; i < count; i++) {
                int tag = in.readUnsignedByte();
                switch (tag) {
                    case 1 -> texts[i] = in.readUTF();
                    case 7 -> names[i] = in.readUnsignedShort();
                    case 9, 10, 11 -> {
                        owners.add(in.readUnsignedShort());
                        in.readUnsignedShort();
                    }
                    case 8, 16, 19, 20 -> in.readUnsignedShort();
                    case 15 -> in.skipNBytes(3);
                    case 3, 4, 12, 17, 18 -> in.readInt();
                    case 5, 6 -> {
                        in.readLong();
                        i++;
                    }
                    default -> throw new IOException(file + ": constant with tag " + tag);
                }
            }
            List<String> references = new ArrayList<>();
            for (int owner : owners) {
                references.add(texts[names[owner]]);
            }
            for (String text : texts) {
                if (text != null && text.contains(";")) {
                    references.add(text);
                }
            }
            return references;
        }
    }

    /** Every class initializes with a loader that has only the classes of the host and of the api, as in a target. */
    @Test
    void theHostsClassesInitializeWithoutTheRoomWire() throws Exception {
        List<URL> urls = new ArrayList<>();
        for (Class<?> one : List.of(Host.class, Profiler.class)) {
            urls.add(one.getProtectionDomain().getCodeSource().getLocation());
        }
        // The platform class loader would find the modules in which this test runs.
        try (URLClassLoader loader = new URLClassLoader(urls.toArray(new URL[0]), null)) {
            assertThatThrownBy(() -> loader.loadClass("mayfly.wire.UpcallKind"))
                    .isInstanceOf(ClassNotFoundException.class);
            for (Class<?> one : List.of(Host.class, Events.class, Reply.class, HostFactory.class, Upcall.class)) {
                Class<?> loaded = Class.forName(one.getName(), true, loader);
                assertThat(loaded).isNotSameAs(one);
                assertThat(loaded.getDeclaredMethods()).isNotEmpty();
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
        assertThat(HostFactory.mask(new byte[] {(byte) Event.CLASS_LOADS.number(), (byte) Event.SUSPENSIONS.number()}))
                .isEqualTo(1 << 1 | 1 << 5);
    }
}
