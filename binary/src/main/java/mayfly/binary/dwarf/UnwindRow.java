package mayfly.binary.dwarf;

/**
 * The rules to find the caller's registers, for a range of program counters: one row of the table of DWARF 5 section
 * 6.4.1.
 *
 * @param start first address it covers
 * @param end first address after it
 * @param cfa the canonical frame address, which is also the caller's stack pointer unless a rule overrides it
 * @param rules by DWARF register number, one for each number below {@link #registers}
 * @param returnAddress the column with the return address
 * @param signalFrame true if the caller was interrupted, false if it made a call
 */
public record UnwindRow(
        long start, long end, CfaRule cfa, java.util.List<RegisterRule> rules, int returnAddress, boolean signalFrame) {
    /** Returns the number of registers that have a rule. Their DWARF numbers are below this number. */
    public int registers() {
        return rules.size();
    }

    public RegisterRule rule(int register) {
        return rules.get(register);
    }

    /** Returns true if the return address is undefined, because the frame is the first of its thread. */
    public boolean returnAddressUndefined() {
        return rules.get(returnAddress) instanceof RegisterRule.Undefined;
    }
}
