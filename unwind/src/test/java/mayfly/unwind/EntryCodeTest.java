package mayfly.unwind;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import mayfly.arch.Architecture;
import mayfly.arch.x86.X86_64;
import mayfly.process.Mapping;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.process.Registers;
import mayfly.process.TargetProcess;
import mayfly.process.TargetThread;
import mayfly.profile.Frame;
import mayfly.runtime.FrameCursor;
import mayfly.runtime.Step;
import org.junit.jupiter.api.Test;

/** The entry code of glibc's dynamic linker has no call-frame information and no caller. */
class EntryCodeTest {
    private static final long START = 0x7f00_0000_0000L;
    private static final int SIZE = 4096;
    private static final int ENTRY = 0x400;
    private static final int ENTRY_LENGTH = 64;
    private static final long SP = 0x7ffd_0000_0000L;
    private static final Memory NOTHING = (address, to, offset, length) -> {
        throw new MemoryFault(address, length);
    };

    private final List<Frame> frames = new ArrayList<>();

    @Test
    void entryCodeIsARoot() throws Exception {
        assertThat(leaf(ENTRY, ENTRY)).isEqualTo(Step.ROOT);
        assertThat(leaf(ENTRY, ENTRY + ENTRY_LENGTH - 1)).isEqualTo(Step.ROOT);
        assertThat(caller(ENTRY, ENTRY + 1))
                .as("the return address of a call at the entry")
                .isEqualTo(Step.ROOT);
        assertThat(caller(ENTRY, ENTRY + ENTRY_LENGTH)).isEqualTo(Step.ROOT);
        assertThat(frames).hasSize(4).first().isEqualTo(new Frame.Native("ld.so", ENTRY, "", false));
    }

    @Test
    void codeOutsideTheEntryCodeIsNotARoot() throws Exception {
        assertThat(leaf(ENTRY, ENTRY - 1)).isNotEqualTo(Step.ROOT);
        assertThat(leaf(ENTRY, ENTRY + ENTRY_LENGTH)).isNotEqualTo(Step.ROOT);
        assertThat(caller(ENTRY, ENTRY))
                .as("the return address of a call before the entry")
                .isEqualTo(Step.NO_CFI);
        assertThat(caller(ENTRY, ENTRY + ENTRY_LENGTH + 1)).isEqualTo(Step.NO_CFI);
    }

    /** In a library, e_entry is 0. */
    @Test
    void libraryHasNoEntryCode() throws Exception {
        assertThat(caller(0, 1)).isEqualTo(Step.NO_CFI);
    }

    private Step leaf(int entry, int pc) throws IOException {
        return step(entry, cursor -> cursor.registers().setPc(START + pc));
    }

    private Step caller(int entry, int pc) throws IOException {
        return step(entry, cursor -> cursor.moveTo(START + pc, SP + 8));
    }

    private interface Placement {
        void place(FrameCursor cursor);
    }

    private Step step(int entry, Placement placement) throws IOException {
        NativeCode code = NativeCode.of(new Linker(entry));
        Registers registers = new Registers(X86_64.ARCHITECTURE);
        registers.setSp(SP);
        FrameCursor cursor = new FrameCursor(X86_64.ARCHITECTURE, NOTHING, NOTHING, code);
        cursor.start(registers, 0);
        placement.place(cursor);
        return new NativeStepper(code, pc -> false).step(cursor, frames::add);
    }

    /** A process with one file without call-frame information. */
    private record Linker(int entry) implements TargetProcess {
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
            return NOTHING;
        }

        @Override
        public List<Mapping> mappings() {
            return List.of(new Mapping(START, START + SIZE, true, false, true, 0, "00:1", 1, "/lib/ld.so"));
        }

        @Override
        public List<TargetThread> threads() {
            return List.of();
        }

        @Override
        public MemorySegment file(Mapping mapping) {
            ByteBuffer file = ByteBuffer.allocate(SIZE).order(ByteOrder.LITTLE_ENDIAN);
            file.putInt(0x464c_457f).put((byte) 2).put((byte) 1);
            file.putShort(16, (short) 3)
                    .putShort(18, (short) X86_64.ARCHITECTURE.elfMachine())
                    .putLong(24, entry);
            file.putLong(32, 64).putShort(54, (short) 56).putShort(56, (short) 1);
            file.putInt(64, 1).putInt(68, 5).putLong(96, SIZE).putLong(104, SIZE); // PT_LOAD, readable and executable
            return MemorySegment.ofArray(file.array());
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
}
