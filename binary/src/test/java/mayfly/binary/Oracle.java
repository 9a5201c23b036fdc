package mayfly.binary;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import mayfly.binary.elf.ElfFile;

/** The tools that serve as oracles, and the files to run them on. */
public final class Oracle {
    /** EM_X86_64, see elf.h. */
    public static final int X86_64 = 62;
    /** The sixteen general registers and the return address. */
    public static final int REGISTERS = 17;

    private static final List<String> SYSTEM = List.of("libc.so.6", "libstdc++.so.6", "libm.so.6", "libz.so.1");

    private Oracle() {}

    /** Returns the libraries that exist on this machine. */
    public static List<Path> libraries() {
        List<Path> found = new ArrayList<>();
        for (String name : SYSTEM) {
            for (String directory : List.of("/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/usr/lib")) {
                Path file = Path.of(directory, name);
                if (Files.isReadable(file)) {
                    found.add(file);
                    break;
                }
            }
        }
        found.addAll(libjvms());
        return found;
    }

    static List<Path> libjvms() {
        try (Stream<Path> homes = Files.list(Path.of("/usr/lib/jvm"))) {
            return homes.filter(home -> !Files.isSymbolicLink(home))
                    .map(home -> home.resolve("lib/server/libjvm.so"))
                    .filter(Files::isReadable)
                    .sorted()
                    .toList();
        } catch (IOException e) {
            return List.of();
        }
    }

    static MemorySegment map(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file)) {
            return channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), Arena.ofAuto());
        }
    }

    public static ElfFile elf(Path file) throws IOException, BadFormat {
        return ElfFile.parse(file.getFileName().toString(), map(file), X86_64);
    }

    /** Runs a tool and reports each line of its output. Skips the test if the tool is not installed. */
    public static void lines(Consumer<String> to, String... command) throws IOException {
        Process process;
        try {
            process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException e) {
            assumeTrue(false, command[0] + " is not installed");
            return;
        }
        try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
            out.lines().forEach(to);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        } finally {
            process.destroy();
        }
    }

    public static List<String> lines(String... command) throws IOException {
        List<String> all = new ArrayList<>();
        lines(all::add, command);
        return all;
    }
}
