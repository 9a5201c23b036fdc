package mayfly.arch;

/**
 * What a stack walk needs of a CPU and of its calling convention. Registers go by their DWARF numbers.
 *
 * <p>It is data in final fields, because every frame of every sample asks for it; what has to be decoded is behind
 * {@link #instructions()} and is decoded once for each program counter. An instance has no state.
 *
 * @param name the CPU's name, as in a file's name: {@code x86_64}
 * @param registers how many registers there are, at most 64: their numbers are below
 * @param stackPointer the stack pointer
 * @param framePointer the register that compilers use for the frame pointer
 * @param programCounter the program counter; the walk's own, where DWARF gives it no number
 * @param linkRegister the register that a call puts the return address into, {@link #NONE} if it pushes it
 * @param resultRegister the register that a function and a system call return their result in
 * @param calleeSaved a mask of the registers that a function preserves for its caller; the stack pointer and the
 *         program counter, which a step sets, are in it
 * @param frameRecord what a frame pointer points to
 * @param redZone how many bytes below the stack pointer a function may use without saying so, 0 for none
 * @param pageSize the smallest page of memory, in bytes, a power of two
 * @param instructions decodes its instructions
 */
public record Architecture(String name, int registers, int stackPointer, int framePointer, int programCounter,
                           int linkRegister, int resultRegister, long calleeSaved, FrameRecord frameRecord, int redZone,
                           int pageSize, InstructionSet instructions) {
    /** How many bytes a register and a return address have. */
    public static final int WORD = 8;
    /** No register. */
    public static final int NONE = -1;

    /** @throws IllegalArgumentException if a register's number is not below {@code registers} */
    public Architecture {
        if (registers < 1 || registers > Long.SIZE || calleeSaved >>> registers - 1 > 1
                || !isRegister(stackPointer, registers) || !isRegister(framePointer, registers)
                || !isRegister(programCounter, registers) || !isRegister(resultRegister, registers)
                || linkRegister != NONE && !isRegister(linkRegister, registers)) {
            throw new IllegalArgumentException("registers of " + name);
        }
    }

    private static boolean isRegister(int number, int registers) {
        return number >= 0 && number < registers;
    }

    /** Whether a call leaves its return address in a register, so that a function may keep it there. */
    public boolean hasLinkRegister() {
        return linkRegister != NONE;
    }

    /**
     * How far above the stack pointer the caller's is at a function's entry, in bytes. If there is no link register,
     * the return address is at the stack pointer.
     */
    public int callersStackPointerAtEntry() {
        return hasLinkRegister() ? 0 : WORD;
    }

    /** A mask of all registers. */
    public long allRegisters() {
        return -1L >>> Long.SIZE - registers;
    }

    /** A mask of the stack pointer and the program counter: those that every step sets. */
    public long positionRegisters() {
        return 1L << stackPointer | 1L << programCounter;
    }

    /**
     * Where a function that keeps a frame pointer has saved what leads to its caller, in bytes from its frame pointer.
     *
     * @param framePointer where the caller's frame pointer is
     * @param returnAddress where the return address is
     * @param callersStackPointer the caller's stack pointer, once the function has returned
     */
    public record FrameRecord(int framePointer, int returnAddress, int callersStackPointer) {
    }
}
