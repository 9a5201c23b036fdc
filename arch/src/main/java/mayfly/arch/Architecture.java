package mayfly.arch;

import java.util.List;

/**
 * The properties of a CPU and its calling convention that a stack walk needs. Registers are identified by their DWARF
 * numbers.
 *
 * <p>These properties are data in final fields, because every frame of every sample uses them. {@link #instructions()}
 * decodes code, once for each program counter. Instances are immutable.
 *
 * @param name the CPU's name, as used in file names: {@code x86_64}
 * @param elfMachine the CPU's number in the headers of ELF files: e_machine, see elf(5)
 * @param registers the number of registers, at most 64, and the number of columns in a row of call-frame information.
 *     The registers have the DWARF numbers from 0 to {@code registers} - 1; a walk does not use registers with higher
 *     numbers, such as vector registers
 * @param stackPointer the stack pointer
 * @param framePointer the register that compilers use for the frame pointer
 * @param programCounter the program counter; an unused number if DWARF does not define one
 * @param linkRegister the register in which a call stores the return address, or {@link #NONE} if a call pushes it
 * @param resultRegister the register in which a function and a system call return their result
 * @param argumentRegisters the registers that pass the first integer arguments of a function, in order
 * @param calleeSaved a mask of the registers that a function preserves for its caller, and of the stack pointer and the
 *     program counter, which each step sets
 * @param frameRecord the data that a frame pointer points to
 * @param redZone the number of bytes below the stack pointer that a function may use without moving it, 0 for none
 * @param pageSize the smallest page of memory, in bytes, a power of two
 * @param instructions the decoder of its instructions
 */
public record Architecture(
        String name,
        int elfMachine,
        int registers,
        int stackPointer,
        int framePointer,
        int programCounter,
        int linkRegister,
        int resultRegister,
        List<Integer> argumentRegisters,
        long calleeSaved,
        FrameRecord frameRecord,
        int redZone,
        int pageSize,
        InstructionSet instructions) {
    /** The size of a register and of a return address, in bytes. */
    public static final int WORD = 8;
    /** No register. */
    public static final int NONE = -1;

    /**
     * @throws IllegalArgumentException if {@code registers} is not 1 to 64, or if the number of a register, or of a
     *     register in {@code calleeSaved} or {@code argumentRegisters}, is not 0 to {@code registers} - 1;
     *     {@code linkRegister} may be {@link #NONE}
     */
    public Architecture {
        argumentRegisters = List.copyOf(argumentRegisters);
        if (registers < 1
                || registers > Long.SIZE
                || calleeSaved >>> registers - 1 > 1
                || !isRegister(stackPointer, registers)
                || !isRegister(framePointer, registers)
                || !isRegister(programCounter, registers)
                || !isRegister(resultRegister, registers)
                || !argumentRegisters.stream().allMatch(number -> isRegister(number, registers))
                || linkRegister != NONE && !isRegister(linkRegister, registers)) {
            throw new IllegalArgumentException("registers of " + name);
        }
    }

    private static boolean isRegister(int number, int registers) {
        return number >= 0 && number < registers;
    }

    /** Returns true if a call stores the return address in a register. A function can leave it there. */
    public boolean hasLinkRegister() {
        return linkRegister != NONE;
    }

    /**
     * Returns the offset of the caller's stack pointer from the stack pointer at a function's entry, in bytes: the size
     * of the return address, or 0 if the CPU has a link register.
     */
    public int callersStackPointerAtEntry() {
        return hasLinkRegister() ? 0 : WORD;
    }

    /** Returns a mask of all registers. */
    public long allRegisters() {
        return -1L >>> Long.SIZE - registers;
    }

    /** Returns a mask of the stack pointer and the program counter, which every step sets. */
    public long positionRegisters() {
        return 1L << stackPointer | 1L << programCounter;
    }

    /**
     * The locations at which a function with a frame pointer has saved its caller's registers, in bytes from its frame
     * pointer.
     *
     * @param framePointer the location of the caller's frame pointer
     * @param returnAddress the location of the return address
     * @param callersStackPointer the caller's stack pointer after the function has returned
     */
    public record FrameRecord(int framePointer, int returnAddress, int callersStackPointer) {}
}
