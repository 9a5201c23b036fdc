package mayfly.unwind;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import mayfly.arch.Architecture;
import mayfly.arch.x86.X86_64;
import mayfly.binary.BadFormat;
import mayfly.binary.elf.ElfFile;
import mayfly.binary.elf.ElfSymbols;
import mayfly.process.Mapping;
import mayfly.process.Memory;
import mayfly.process.TargetProcess;
import mayfly.process.TargetThread;
import mayfly.profile.Frame;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The symbols of a stripped file are found in the locations that binutils uses, and equal those that nm prints for the
 * file before it is stripped.
 */
@Tag("slow")
class DebugFileTest {
    private static final String PATH = "/opt/app/lib/chain";

    @TempDir
    private Path directory = Path.of("");

    private Path root = Path.of("");
    private Path whole = Path.of("");
    private Path debug = Path.of("");
    private Path stripped = Path.of("");

    /** A target of which only the file system exists. */
    private record FileSystem(Path root) implements TargetProcess {
        @Override
        public MemorySegment fileAt(String path) throws IOException {
            return MemorySegment.ofArray(Files.readAllBytes(root.resolve(path.substring(1))));
        }

        @Override
        public Architecture architecture() {
            return X86_64.ARCHITECTURE;
        }

        @Override
        public int pid() {
            return 1;
        }

        @Override
        public Memory memory() {
            throw new UnsupportedOperationException();
        }

        @Override
        public List<Mapping> mappings() {
            return List.of();
        }

        @Override
        public List<TargetThread> threads() {
            return List.of();
        }

        @Override
        public MemorySegment file(Mapping mapping) throws IOException {
            throw new IOException("nothing is mapped");
        }

        @Override
        public void close() {
            // It holds no resources.
        }
    }

    @BeforeEach
    void compile() throws Exception {
        compile("-Wl,--build-id");
    }

    private void compile(String option) throws Exception {
        root = directory.resolve("root");
        whole = Fixture.compile(directory, "-O1", option);
        debug = directory.resolve("chain.debug");
        stripped = directory.resolve("stripped");
        run("objcopy", "--only-keep-debug", whole, debug);
        run("objcopy", "--strip-all", "--remove-section=.gnu_debuglink", whole, stripped);
    }

    private static void run(Object... command) throws Exception {
        try {
            int status = new ProcessBuilder(
                            List.of(command).stream().map(Object::toString).toList())
                    .inheritIO()
                    .start()
                    .waitFor();
            assertThat(status).as(List.of(command).toString()).isZero();
        } catch (IOException e) {
            assumeTrue(false, command[0] + " is not installed");
        }
    }

    private void place(Path file, String at) throws IOException {
        Path to = root.resolve(at.substring(1));
        Files.createDirectories(to.getParent());
        Files.copy(file, to, StandardCopyOption.REPLACE_EXISTING);
    }

    private static ElfFile elf(Path file) throws Exception {
        return ElfFile.parse(
                "chain", MemorySegment.ofArray(Files.readAllBytes(file)), X86_64.ARCHITECTURE.elfMachine());
    }

    private DebugFile of(Path file) throws Exception {
        return new DebugFile(new FileSystem(root), PATH, elf(file));
    }

    private String buildIdPath() throws Exception {
        String id = elf(whole).buildId();
        return "/usr/lib/debug/.build-id/" + id.substring(0, 2) + "/" + id.substring(2) + ".debug";
    }

    /** Returns the functions by address, as nm prints them for the file before it was stripped. */
    private Map<Long, Set<String>> nm() throws Exception {
        Map<Long, Set<String>> functions = new HashMap<>();
        Process nm = new ProcessBuilder("nm", whole.toString()).start();
        nm.inputReader()
                .lines()
                .map(line -> line.split(" "))
                .filter(cells -> cells[1].matches("[tT]"))
                .forEach(cells -> functions
                        .computeIfAbsent(Long.parseUnsignedLong(cells[0], 16), a -> new HashSet<>())
                        .add(cells[2]));
        return functions;
    }

    private void assertNamed(Path file, int atLeast) throws Exception {
        ElfFile separate = of(file).find();
        assertThat(separate).isNotNull();
        ElfSymbols symbols = elf(file).symbolsFrom(separate);
        Map<Long, Set<String>> theirs = nm();
        int named = 0;
        for (int i = 0; i < symbols.functionCount(); i++) {
            ElfSymbols.Symbol symbol = symbols.function(i);
            assertThat(theirs.getOrDefault(symbol.address(), Set.of())).contains(symbol.name());
            named++;
        }
        assertThat(named).isGreaterThanOrEqualTo(atLeast);
        assertThat(elf(file).symbols().functionCount()).isLessThan(named);
    }

    @Test
    void strippedFileHasNoDebugFileByDefault() throws Exception {
        assertThat(elf(stripped).isStripped()).isTrue();
        assertThat(elf(whole).isStripped()).isFalse();
        assertThat(of(stripped).find()).isNull();
    }

    @Test
    void debugFileIsFoundByBuildId() throws Exception {
        place(debug, buildIdPath());
        assertNamed(stripped, 5);
    }

    @Test
    void debugFileOfAnotherBuildIsRejected() throws Exception {
        Path other = Fixture.compile(Files.createDirectory(directory.resolve("other")), "-O0", "-Wl,--build-id");
        place(other, buildIdPath());
        assertThat(of(stripped).find()).isNull();
        Files.writeString(root.resolve(buildIdPath().substring(1)), "no ELF file");
        assertThat(of(stripped).find()).isNull();
    }

    @Test
    void debugFileIsFoundByDebugLinkInEachDirectory() throws Exception {
        Path linked = directory.resolve("linked");
        run("objcopy", "--add-gnu-debuglink=" + debug, stripped, linked);
        assertThat(of(linked).find()).isNull();
        for (String place : List.of("/usr/lib/debug/opt/app/lib/", "/opt/app/lib/.debug/", "/opt/app/lib/")) {
            place(debug, place + "chain.debug");
            assertNamed(linked, 5);
            Files.delete(root.resolve((place + "chain.debug").substring(1)));
        }
    }

    /** Files are matched by build id, or by checksum if there is none. */
    @Test
    void debugLinkToAMismatchedFileIsRejected() throws Exception {
        Path linked = directory.resolve("linked");
        run("objcopy", "--add-gnu-debuglink=" + debug, stripped, linked);
        Path other = Fixture.compile(Files.createDirectory(directory.resolve("other")), "-O0", "-Wl,--build-id");
        place(other, "/opt/app/lib/chain.debug");
        assertThat(of(linked).find()).isNull();

        compile("-Wl,--build-id=none");
        run("objcopy", "--add-gnu-debuglink=" + debug, stripped, linked);
        place(debug, "/opt/app/lib/chain.debug");
        assertNamed(linked, 5);
        byte[] changed = Files.readAllBytes(debug);
        changed[changed.length / 2] ^= 1;
        Files.write(debug, changed);
        place(debug, "/opt/app/lib/chain.debug");
        assertThat(of(linked).find()).isNull();
    }

    @Test
    void symbolsOfMiniDebugInfoAreDecompressed() throws Exception {
        Path mini = directory.resolve("mini");
        Path kept = Files.write(
                directory.resolve("kept"),
                nm().values().stream().flatMap(Set::stream).toList());
        run("objcopy", "-S", "--keep-symbols=" + kept, debug, mini);
        run("xz", "--keep", mini);
        Path with = directory.resolve("with");
        run("objcopy", "--add-section=.gnu_debugdata=" + mini + ".xz", stripped, with);
        assertNamed(with, 5);

        Path damaged = directory.resolve("damaged.xz");
        byte[] bytes = Files.readAllBytes(Path.of(mini + ".xz"));
        bytes[bytes.length / 2] ^= 1;
        Files.write(damaged, bytes);
        run("objcopy", "--add-section=.gnu_debugdata=" + damaged, stripped, with);
        assertThatThrownBy(of(with)::find).isInstanceOf(BadFormat.class).hasMessageContaining(".gnu_debugdata");
    }

    /** xz -9 needs a dictionary of 64 MiB, and a file of zeros decompresses to a very large one. */
    @Test
    void miniDebugInfoThatNeedsTooMuchMemoryIsRejected() throws Exception {
        for (String level : List.of("-9", "-0")) {
            Path zeros = Files.write(directory.resolve("zeros" + level), new byte[25 << 20]);
            run("xz", level, zeros);
            Path with = directory.resolve("with");
            run("objcopy", "--add-section=.gnu_debugdata=" + zeros + ".xz", stripped, with);
            assertThatThrownBy(of(with)::find).isInstanceOf(BadFormat.class).hasMessageContaining(".gnu_debugdata");
        }
    }

    /** The frames of a running stripped program have names. */
    @Test
    @Tag("privileged")
    void framesOfAStrippedProgramAreNamed() throws Exception {
        run("objcopy", "--strip-all", "--add-gnu-debuglink=" + debug, whole, stripped);
        try (Fixture process = Fixture.run(stripped)) {
            NativeCode code = NativeCode.of(process);
            Symbolizer symbolizer = new Symbolizer(code);
            NativeModule module = code.modules().stream()
                    .filter(m -> m.name().equals("stripped"))
                    .findFirst()
                    .orElseThrow();
            for (Map.Entry<Long, Set<String>> function : nm().entrySet()) {
                if (function.getValue().stream()
                        .anyMatch(Set.of("main", "first", "interrupted", "handler")::contains)) {
                    assertThat(function.getValue())
                            .contains(symbolizer.symbol(new Frame.Native("stripped", function.getKey(), "", false)));
                }
            }
            assertThat(module.problem()).isEmpty();
        }
    }
}
