package mayfly.binary.dwarf;

/** A rule to compute the canonical frame address, DWARF 5 section 6.4.1. */
public sealed interface CfaRule {

    /** cfa = register + offset. Registers have the ABI's numbers. */
    record RegisterOffset(int register, long offset) implements CfaRule {}

    /** cfa = value of the expression. */
    record Computed(DwarfExpression expression) implements CfaRule {}
}
