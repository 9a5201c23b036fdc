package mayfly.unwind;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import mayfly.binary.ElfSymbols;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NativeCodeTest {
    @TempDir
    private Path directory = Path.of("");

    /** Every call that objdump sees in libc returns to where it may; addresses in the middle of others rarely do. */
    @Test
    void returnAddressesFollowCalls() throws Exception {
        try (Fixture process = Fixture.run(Fixture.compile(directory, "-O2"))) {
            NativeCode code = NativeCode.of(process);
            NativeModule libc = code.modules().stream().filter(m -> m.name().startsWith("libc"))
                    .findFirst().orElseThrow();
            Process objdump = new ProcessBuilder("objdump", "-d", "--no-show-raw-insn", libc.path()).start();
            Set<Long> returns = new HashSet<>();
            Set<Long> others = new HashSet<>();
            try (BufferedReader lines = objdump.inputReader()) {
                boolean afterCall = false;
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    int colon = line.indexOf(":\t");
                    if (colon > 0) {
                        long address = Long.parseUnsignedLong(line.substring(0, colon).strip(), 16) + libc.bias();
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
    void absurdAddressesCauseNoReading() throws Exception {
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

    @Test
    void theVdsoIsReadFromMemory() throws Exception {
        try (Fixture process = Fixture.run(Fixture.compile(directory, "-O2"))) {
            NativeCode code = NativeCode.of(process);
            NativeModule vdso = code.modules().stream().filter(m -> m.name().equals("[vdso]"))
                    .findFirst().orElseThrow();
            ElfSymbols symbols = vdso.symbols();
            assertThat(symbols).isNotNull();
            long address = symbols.addressOf("__vdso_clock_gettime").orElseThrow();
            assertThat(vdso.frames()).isNotNull();
            assertThat(vdso.frames().rowAt(address)).isNotNull();
            assertThat(code.isCode(address + vdso.bias())).isTrue();
        }
    }
}
