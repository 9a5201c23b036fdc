package mayfly.binary.dwarf;

/**
 * How to find the caller's registers, for a range of program counters: one row of the table of DWARF 5 section 6.4.1.
 *
 * @param start first address it holds for
 * @param end first address after it
 * @param cfa the canonical frame address, which is also the caller's stack pointer unless a rule says otherwise
 * @param rules by register, 0 to 16
 * @param returnAddress the column that holds the return address
 * @param signalFrame whether the caller was interrupted rather than having made a call
 */
public record UnwindRow(long start, long end, CfaRule cfa, java.util.List<RegisterRule> rules, int returnAddress,
                        boolean signalFrame) {
    /** Registers that rows speak of: the sixteen general ones and the return address. */
    public static final int REGISTERS = 17;

    public RegisterRule rule(int register) {
        return rules.get(register);
    }

    /** Whether this is a thread's first frame. */
    public boolean returnAddressUndefined() {
        return rules.get(returnAddress) instanceof RegisterRule.Undefined;
    }
}
