package mayfly.binary.dwarf;

/** A rule to find one register of the caller, DWARF 5 section 6.4.1. */
public sealed interface RegisterRule {

    /** No rule: callee-saved registers keep their value, the others are lost. */
    record Unspecified() implements RegisterRule {}

    /** The caller's value is lost; for the return address: there is no caller. */
    record Undefined() implements RegisterRule {}

    /** caller's = this frame's. */
    record SameValue() implements RegisterRule {}

    /** caller's = [cfa + offset]. */
    record Offset(long offset) implements RegisterRule {}

    /** caller's = cfa + offset. */
    record ValOffset(long offset) implements RegisterRule {}

    /** caller's = this frame's other register. */
    record Register(int register) implements RegisterRule {}

    /** caller's = [value of the expression], computed with the cfa on the stack. */
    record Expression(DwarfExpression expression) implements RegisterRule {}

    /** caller's = value of the expression, computed with the cfa on the stack. */
    record ValExpression(DwarfExpression expression) implements RegisterRule {}

    RegisterRule UNSPECIFIED = new Unspecified();
    RegisterRule UNDEFINED = new Undefined();
    RegisterRule SAME_VALUE = new SameValue();
}
