package mayfly.unwind;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import mayfly.arch.Architecture;
import mayfly.arch.x86.X86_64;
import mayfly.binary.elf.ElfSymbols;
import mayfly.process.Mapping;
import mayfly.process.Memory;
import mayfly.process.TargetProcess;
import mayfly.process.TargetThread;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NativeCodeTest {
    @TempDir
    private Path directory = Path.of("");

    /**
     * Every address after a call in objdump's disassembly of libc is a possible return address; other addresses of
     * instructions rarely are.
     */
    @Test
    @Tag("privileged")
    void returnAddressesFollowCalls() throws Exception {
        try (Fixture process = Fixture.run(Fixture.compile(directory, "-O2"))) {
            NativeCode code = NativeCode.of(process);
            NativeModule libc = code.modules().stream()
                    .filter(m -> m.name().startsWith("libc"))
                    .findFirst()
                    .orElseThrow();
            Process objdump = new ProcessBuilder("objdump", "-d", "--no-show-raw-insn", libc.path()).start();
            Set<Long> returns = new HashSet<>();
            Set<Long> others = new HashSet<>();
            try (BufferedReader lines = objdump.inputReader()) {
                boolean afterCall = false;
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    int colon = line.indexOf(":\t");
                    if (colon > 0) {
                        long address =
                                Long.parseUnsignedLong(line.substring(0, colon).strip(), 16) + libc.bias();
                        (afterCall ? returns : others).add(address);
                        afterCall = line.substring(colon).contains("\tcall ") || line.contains("\tnotrack call ");
                    }
                }
            }
            assertThat(returns).hasSizeGreaterThan(1000).allMatch(code::mayReturnTo);
            long wrong = others.stream().filter(code::mayReturnTo).count();
            assertThat(wrong).isLessThan(others.size() / 100);
        }
    }

    @Test
    @Tag("privileged")
    void unknownAddressesCauseOneReadingOfTheMappingsPerEpoch() throws Exception {
        try (Fixture process = Fixture.run(Fixture.compile(directory, "-O2"))) {
            NativeCode code = NativeCode.of(process);
            code.newEpoch();
            int before = process.mappingReads;
            for (long address = 1; address < 1000; address++) {
                assertThat(code.isCode(address)).isFalse();
                assertThat(code.isCode(-address)).isFalse();
            }
            assertThat(process.mappingReads - before).isEqualTo(1);
        }
    }

    /** Frames that were recorded earlier contain the name. */
    @Test
    void newlyMappedFileOfTheSameNameDoesNotRenameTheFirst() throws Exception {
        List<Mapping> mappings = new ArrayList<>();
        Mapping first = code(0x7000_0000L, 1, "/jdk-17/libjvm.so");
        mappings.add(first);
        NativeCode code = NativeCode.of(new Mapped(mappings));
        assertThat(code.modules()).extracting(NativeModule::library).containsExactly("libjvm.so");
        mappings.addFirst(code(0x6000_0000L, 2, "/jdk-25/libjvm.so"));
        code.refresh();
        assertThat(code.modules()).extracting(NativeModule::library).containsExactly("/jdk-25/libjvm.so", "libjvm.so");
        mappings.remove(first);
        code.refresh();
        mappings.addFirst(code(0x5000_0000L, 3, "/jdk-26/libjvm.so"));
        code.refresh();
        assertThat(code.modules())
                .as("the first file keeps its name")
                .extracting(NativeModule::library)
                .containsExactly("/jdk-26/libjvm.so", "/jdk-25/libjvm.so");
    }

    private static Mapping code(long start, long inode, String path) {
        return new Mapping(start, start + 0x1000, true, false, true, 0, "00:1", inode, path);
    }

    /** A process of which only the mappings are known. */
    private record Mapped(List<Mapping> mappings) implements TargetProcess {
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
        public List<TargetThread> threads() {
            return List.of();
        }

        @Override
        public MemorySegment file(Mapping mapping) throws IOException {
            throw new IOException(mapping.path());
        }

        @Override
        public MemorySegment fileAt(String path) throws IOException {
            throw new IOException(path);
        }

        @Override
        public void close() {
            // It holds no resources.
        }
    }

    @Test
    @Tag("privileged")
    void theVdsoIsReadFromMemory() throws Exception {
        try (Fixture process = Fixture.run(Fixture.compile(directory, "-O2"))) {
            NativeCode code = NativeCode.of(process);
            NativeModule vdso = code.modules().stream()
                    .filter(m -> m.name().equals("[vdso]"))
                    .findFirst()
                    .orElseThrow();
            ElfSymbols symbols = vdso.symbols();
            assertThat(symbols).isNotNull();
            long address = symbols.addressOf("__vdso_clock_gettime").orElseThrow();
            assertThat(vdso.frames()).isNotNull();
            assertThat(vdso.frames().rowAt(address)).isNotNull();
            assertThat(code.isCode(address + vdso.bias())).isTrue();
        }
    }
}
