package mayfly.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.lang.foreign.MemorySegment;
import mayfly.arch.x86.X86_64;
import mayfly.binary.BadFormat;
import mayfly.binary.Cursor;
import mayfly.binary.dwarf.CfaProgram;
import mayfly.binary.dwarf.EhFrame;
import mayfly.binary.dwarf.EhFrameIndex;
import mayfly.binary.dwarf.Fde;
import mayfly.binary.dwarf.UnwindRow;

/**
 * Any bytes as .eh_frame, and as the search table before it, yield rows that are valid for the requested address, or
 * are refused.
 */
class CallFrameFuzzTest {
    private static final int REGISTERS = X86_64.ARCHITECTURE.registers();
    private static final long VADDR = 0x10_0000;
    private static final int MAX_ENTRIES = 100;

    @FuzzTest
    void rows(byte[] section) {
        EhFrame frames = new EhFrame("fuzzed", MemorySegment.ofArray(section), VADDR, REGISTERS);
        EhFrameIndex.Listed list = EhFrameIndex.list(frames);
        assertThat(list.starts()).isSorted();
        for (int i = 0; i < Math.min(list.positions().length, MAX_ENTRIES); i++) {
            row(frames, list.positions()[i]);
        }
        try {
            MemorySegment bytes = MemorySegment.ofArray(section);
            EhFrameIndex table = EhFrameIndex.header(new Cursor("table", bytes), bytes, VADDR, VADDR);
            if (table != null) {
                row(frames, table.find(VADDR + section.length));
            }
        } catch (BadFormat e) {
            assertThat(e).hasMessageStartingWith("table");
        }
    }

    private static void row(EhFrame frames, long position) {
        try {
            Fde fde = frames.fde(position);
            for (long at : new long[] {fde.start(), fde.start() + (fde.end() - fde.start()) / 2, fde.end() - 1}) {
                if (fde.covers(at)) {
                    UnwindRow row = new CfaProgram(frames, fde).rowAt(at);
                    assertThat(at).isGreaterThanOrEqualTo(row.start()).isLessThan(row.end());
                    assertThat(row.rules()).hasSize(REGISTERS);
                }
            }
        } catch (BadFormat e) {
            assertThat(e).hasMessageStartingWith("fuzzed .eh_frame");
        }
    }
}
