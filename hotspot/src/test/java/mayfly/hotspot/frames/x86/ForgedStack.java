package mayfly.hotspot.frames.x86;

import mayfly.arch.x86.X86_64;
import mayfly.hotspot.ForgedVm;
import mayfly.hotspot.tables.ForgedMemory;
import mayfly.process.Registers;
import mayfly.runtime.CodeRanges;
import mayfly.runtime.FrameCursor;

/** The stack of one thread of a forged VM, with words set by a test, and cursors on it. */
final class ForgedStack {
    static final long SP = 0x7c00_0000_1000L;
    static final long FP = 0x7c00_0000_1800L;
    private static final int BYTES = 4096;
    static final CodeRanges NO_NATIVE_CODE = new CodeRanges() {
        @Override
        public boolean isCode(long address) {
            return false;
        }

        @Override
        public boolean mayReturnTo(long address) {
            return false;
        }
    };

    private final ForgedMemory memory;

    ForgedStack(ForgedVm vm) {
        memory = vm.memory;
        memory.map(SP, BYTES);
    }

    /** Sets the word at an offset in bytes above {@link #SP}. */
    ForgedStack word(int at, long value) {
        memory.putLong(SP + at, value);
        return this;
    }

    /** Returns a cursor at a return address, with the stack pointer {@link #SP} and the frame pointer {@link #FP}. */
    FrameCursor returningTo(long pc, long time) {
        Registers registers = new Registers(X86_64.ARCHITECTURE);
        registers.set(X86_64.RBP, FP);
        FrameCursor cursor = new FrameCursor(X86_64.ARCHITECTURE, memory, memory, NO_NATIVE_CODE);
        cursor.start(registers, time);
        cursor.moveTo(pc, SP);
        return cursor;
    }

    /** Returns a cursor at an interrupted instruction, with {@link #SP}, {@link #FP} and the given rdx. */
    FrameCursor interruptedAt(long pc, long rdx) {
        Registers registers = new Registers(X86_64.ARCHITECTURE);
        for (int i = 0; i < 16; i++) {
            registers.set(i, 0);
        }
        registers.set(X86_64.RIP, pc);
        registers.set(X86_64.RSP, SP);
        registers.set(X86_64.RBP, FP);
        registers.set(X86_64.RDX, rdx);
        FrameCursor cursor = new FrameCursor(X86_64.ARCHITECTURE, memory, memory, NO_NATIVE_CODE);
        cursor.start(registers, 0);
        return cursor;
    }
}
