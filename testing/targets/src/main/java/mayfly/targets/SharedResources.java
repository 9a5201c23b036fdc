package mayfly.targets;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.Vector;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * {@code SharedResources KIND}: four threads that use one object of the JDK, which a monitor protects. Kinds: {@code
 * properties}, a table that is written; {@code map}, a synchronized map with expensive values; {@code zip}, an open
 * archive; {@code buffer}, a string buffer that is copied; {@code vector}, a vector that is sorted. It answers any line
 * with the number of uses.
 */
public final class SharedResources {
    private static final int THREADS = 4;
    private static final int KEYS = 1 << 20;
    private static final int ENTRIES = 64;
    private static final int ENTRY_BYTES = 64 << 10;
    private static final int TEXT = 20_000;
    private static final int ELEMENTS = 2_000;

    private static final AtomicLong uses = new AtomicLong();

    private SharedResources() {}

    public static void main(String[] args) throws IOException {
        Runnable use = use(args[0]);
        for (int i = 0; i < THREADS; i++) {
            LineProtocol.start(args[0] + "-" + i, () -> {
                while (true) {
                    use.run();
                    uses.incrementAndGet();
                }
            });
        }
        LineProtocol.untilExit(args[0], line -> uses.toString());
    }

    private static Runnable use(String kind) throws IOException {
        switch (kind) {
            case "properties":
                return properties();
            case "map":
                Map<Integer, Long> map = Collections.synchronizedMap(new HashMap<>());
                return () -> {
                    int key = (int) (System.nanoTime() % KEYS);
                    map.computeIfAbsent(key, each -> Work.spin(20_000, each));
                    map.remove(key);
                };
            case "zip":
                return zip();
            case "buffer":
                StringBuffer buffer = new StringBuffer("x".repeat(TEXT));
                return () -> {
                    buffer.insert(0, 'x');
                    Work.sink = buffer.toString().length();
                    buffer.setLength(TEXT);
                };
            case "vector":
                Vector<Integer> vector = new Vector<>();
                new Random(1).ints(ELEMENTS).forEach(vector::add);
                return () -> {
                    vector.sort(Comparator.naturalOrder());
                    vector.sort(Comparator.reverseOrder());
                };
            default:
                throw new IllegalArgumentException(kind);
        }
    }

    private static Runnable properties() {
        Properties properties = new Properties();
        for (int i = 0; i < ELEMENTS; i++) {
            properties.setProperty("property " + i, "value " + i);
        }
        return () -> {
            try {
                properties.store(OutputStream.nullOutputStream(), null);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        };
    }

    private static Runnable zip() throws IOException {
        Path file = Files.createTempFile("mayfly-shared", ".zip");
        Files.write(file, archive());
        ZipFile archive = new ZipFile(file.toFile());
        Files.delete(file);
        return () -> {
            try (InputStream in = archive.getInputStream(new ZipEntry("entry " + System.nanoTime() % ENTRIES))) {
                Work.sink = in.readAllBytes().length;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        };
    }

    /** Random bytes do not become smaller, so that the threads read much under the archive's monitor. */
    private static byte[] archive() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        byte[] content = new byte[ENTRY_BYTES];
        new Random(1).nextBytes(content);
        try (ZipOutputStream out = new ZipOutputStream(bytes)) {
            for (int i = 0; i < ENTRIES; i++) {
                out.putNextEntry(new ZipEntry("entry " + i));
                out.write(content);
            }
        }
        return bytes.toByteArray();
    }
}
