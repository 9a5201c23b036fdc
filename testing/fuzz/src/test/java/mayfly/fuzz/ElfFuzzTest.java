package mayfly.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.lang.foreign.MemorySegment;
import mayfly.arch.x86.X86_64;
import mayfly.binary.BadFormat;
import mayfly.binary.dwarf.CallFrameInfo;
import mayfly.binary.dwarf.UnwindRow;
import mayfly.binary.elf.DebugLink;
import mayfly.binary.elf.ElfFile;
import mayfly.binary.elf.ElfSymbols;
import org.jspecify.annotations.Nullable;

/** Any file is read, or refused as {@link BadFormat}; all data read from it are consistent. */
class ElfFuzzTest {
    private static final int MAX_SYMBOLS = 200;

    @FuzzTest
    void elf(byte[] file) {
        try {
            ElfFile elf = ElfFile.parse("fuzzed", MemorySegment.ofArray(file), X86_64.ARCHITECTURE.elfMachine());
            elf.read(0x1000, new byte[64]);
            elf.vaddrOf(0x1000, true);
            assertThat(elf.buildId()).hasSizeLessThanOrEqualTo(128);
            DebugLink link = elf.debugLink();
            if (link != null) {
                link.matches(MemorySegment.ofArray(file));
            }
            symbols(elf, elf);
            rows(elf);
            ElfFile mini = miniDebugInfo(elf);
            if (mini != null) {
                symbols(elf, mini);
            }
        } catch (BadFormat e) {
            assertThat(e).hasMessageStartingWith("fuzzed");
        }
    }

    private static @Nullable ElfFile miniDebugInfo(ElfFile elf) {
        try {
            return elf.miniDebugInfo();
        } catch (BadFormat e) {
            assertThat(e).hasMessageStartingWith("fuzzed .gnu_debugdata");
            return null;
        }
    }

    private static void symbols(ElfFile elf, ElfFile from) throws BadFormat {
        ElfSymbols symbols = elf.symbolsFrom(from);
        symbols.addressOf("main");
        symbols.objectsWithPrefix("a");
        for (int i = 0; i < Math.min(symbols.functionCount(), MAX_SYMBOLS); i++) {
            ElfSymbols.Symbol symbol = symbols.function(i);
            assertThat(symbols.indexAt(symbol.address())).isIn(i, -1);
            symbols.functionAt(symbol.address() + symbol.size());
        }
    }

    private static void rows(ElfFile elf) {
        try {
            CallFrameInfo frames = CallFrameInfo.of(elf, X86_64.ARCHITECTURE.registers());
            for (ElfFile.Segment segment : elf.segments()) {
                row(frames, segment.vaddr() + 0x10);
            }
        } catch (BadFormat e) {
            assertThat(e).hasMessageStartingWith("fuzzed");
        }
    }

    private static void row(CallFrameInfo frames, long at) {
        try {
            UnwindRow row = frames.rowAt(at);
            if (row != null) {
                assertThat(at).isGreaterThanOrEqualTo(row.start()).isLessThan(row.end());
            }
        } catch (BadFormat e) {
            assertThat(e).hasMessageStartingWith("fuzzed");
        }
    }
}
