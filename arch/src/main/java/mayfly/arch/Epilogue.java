package mayfly.arch;

/**
 * What the instructions between a program counter and the end of its function do. At that end every callee-saved
 * register holds the caller's value.
 */
public interface Epilogue {

    /** Whether the function is left with no branch in between. If it is not, nothing else is known. */
    boolean leaves();

    /**
     * Whether a register keeps its present value until then. A callee-saved register that does holds its caller's value
     * already, whatever call-frame information says of its slot: compilers do not describe the registers that an
     * epilogue has popped.
     *
     * @param register its DWARF number
     */
    boolean keeps(int register);

    /** Whether the return address is in the {@linkplain Architecture#linkRegister() link register} now. */
    boolean returnsByLinkRegister();

    /** How far above the stack pointer the return address is, in bytes, unless it is in the link register. */
    long returnAddressOffset();

    /** How far above the present stack pointer the caller's is, in bytes. */
    long callersStackPointerOffset();
}
