package mayfly.binary.dwarf;

/** How to compute the canonical frame address, DWARF 5 section 6.4.1. */
public sealed interface CfaRule {

    /** cfa = register + offset. Registers are numbered as the ABI does. */
    record RegisterOffset(int register, long offset) implements CfaRule {
    }

    /** cfa = value of the expression. */
    record Computed(DwarfExpression expression) implements CfaRule {
    }
}
