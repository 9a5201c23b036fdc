package mayfly.arch;

/**
 * The effect of the instructions between a program counter and the exit from its function. At the exit every
 * callee-saved register holds the caller's value.
 */
public interface Epilogue {

    /**
     * Returns true if the decoded instructions lead to an exit of the function. Otherwise {@link #keeps} returns false,
     * and the other results are undefined.
     */
    boolean leaves();

    /**
     * Returns true if a register keeps its present value until the exit. A callee-saved register that keeps its value
     * already holds the caller's value, even if the call-frame information gives it a slot on the stack: compilers do
     * not describe the registers that an epilogue has popped.
     *
     * @param register its DWARF number
     */
    boolean keeps(int register);

    /** Returns true if the return address is in the {@linkplain Architecture#linkRegister() link register} now. */
    boolean returnsByLinkRegister();

    /** Returns the offset of the return address from the stack pointer, in bytes, unless it is in the link register. */
    long returnAddressOffset();

    /** Returns the offset of the caller's stack pointer from the present stack pointer, in bytes. */
    long callersStackPointerOffset();
}
