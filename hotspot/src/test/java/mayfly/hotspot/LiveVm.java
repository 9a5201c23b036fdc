package mayfly.hotspot;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import mayfly.hotspot.code.CodeCache;
import mayfly.hotspot.code.Nmethods;
import mayfly.hotspot.tables.VmLayout;
import mayfly.hotspot.tables.VmStructs;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.process.PagedMemory;
import mayfly.runtime.ModuleSymbols;

/**
 * A real JVM that waits after it has compiled some code, seen through /proc/PID/mem and nm: no native access is
 * needed.
 */
public final class LiveVm implements ModuleSymbols, AutoCloseable {
    private static final String PROGRAM = """
        import java.util.*;
        public class Warm {
            static long hot(int n) {
                StringBuilder text = new StringBuilder();
                Map<String, Integer> map = new HashMap<>();
                double sum = 0;
                for (int i = 0; i < n; i++) {
                    text.setLength(0);
                    text.append("key").append(i % 97).append(Math.sqrt(i));
                    map.merge(text.toString(), i, Integer::sum);
                    sum += Math.sin(i) + text.indexOf("7");
                }
                int[] numbers = new Random(1).ints(1000).toArray();
                Arrays.sort(numbers);
                return (long) sum + map.hashCode() + Arrays.hashCode(numbers);
            }
            public static void main(String[] arguments) throws Exception {
                long sum = 0;
                for (int i = 0; i < 300; i++) {
                    sum += hot(2000);
                }
                System.out.println("warm " + sum);
                System.in.read();
            }
        }
        """;

    private final Process process;
    private final RandomAccessFile mem;
    private final Map<String, Long> symbols = new HashMap<>();
    public final Memory memory;

    private LiveVm(Process process) throws IOException, InterruptedException {
        this.process = process;
        this.mem = new RandomAccessFile("/proc/" + process.pid() + "/mem", "r");
        this.memory = new PagedMemory((address, to, offset, length) -> {
            try {
                mem.seek(address);
                mem.readFully(to, offset, length);
            } catch (IOException e) {
                throw new MemoryFault(address, length);
            }
        });
        String mapping = Files.readAllLines(Path.of("/proc/" + process.pid() + "/maps")).stream()
                .filter(line -> line.endsWith("/libjvm.so"))
                .findFirst()
                .orElseThrow();
        long base = Long.parseUnsignedLong(mapping.substring(0, mapping.indexOf('-')), 16);
        Process nm = new ProcessBuilder("nm", "-D", mapping.substring(mapping.indexOf('/'))).start();
        try (BufferedReader lines = nm.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] cells = line.strip().split(" ");
                if (cells.length == 3 && cells[2].startsWith("gHotSpot")) {
                    symbols.put(cells[2].split("@")[0], base + Long.parseUnsignedLong(cells[0], 16));
                }
            }
        }
        nm.waitFor();
    }

    /** Returns the JDKs of this machine, without duplicates, identified by their lib/modules files. */
    public static List<Path> jdks() throws IOException {
        Path all = Path.of("/usr/lib/jvm");
        if (!Files.isDirectory(all)) {
            return List.of(Path.of(System.getProperty("java.home")));
        }
        try (Stream<Path> homes = Files.list(all)) {
            return homes.filter(home -> Files.isExecutable(home.resolve("bin/java"))
                            && Files.isRegularFile(home.resolve("lib/modules")))
                    .map(LiveVm::real)
                    .distinct()
                    .sorted()
                    .toList();
        }
    }

    private static Path real(Path path) {
        try {
            return path.toRealPath();
        } catch (IOException e) {
            return path;
        }
    }

    /**
     * Starts a JVM and waits until it is warm. Hot code is compiled at the highest tier, because the JVM is otherwise
     * idle.
     */
    public static LiveVm start(Path home, Path directory, String... options) throws Exception {
        Path source = Files.writeString(directory.resolve("Warm.java"), PROGRAM);
        List<String> command =
                new java.util.ArrayList<>(List.of(home.resolve("bin/java").toString(), "-Xmx128m", "-Xbatch"));
        command.addAll(List.of(options));
        command.add(source.toString());
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String line = process.inputReader().readLine();
        if (line == null) {
            process.destroyForcibly();
            throw new IOException(home + " did not start");
        }
        try {
            return new LiveVm(process);
        } catch (IOException e) {
            process.destroyForcibly();
            assumeTrue(false, "nm is not installed, or /proc/PID/mem may not be read: " + e.getMessage());
            throw e;
        }
    }

    public CodeCache cache() throws Exception {
        VmLayout layout = new VmLayout(VmStructs.read(memory, this));
        return new CodeCache(memory, layout, new Nmethods(memory, layout));
    }

    @Override
    public long address(String name) {
        return symbols.getOrDefault(name, 0L);
    }

    @Override
    public List<Named> objectsWithPrefix(String prefix) {
        return List.of();
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly();
        mem.close();
    }
}
