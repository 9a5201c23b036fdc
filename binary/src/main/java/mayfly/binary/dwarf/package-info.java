/**
 * DWARF call-frame information: for each address in a file, the rules to find the caller's registers.
 *
 * <p>The sections .eh_frame and .eh_frame_hdr of an {@link mayfly.binary.elf.ElfFile} come in; an {@link UnwindRow}
 * goes out, with a {@link CfaRule} and a {@link RegisterRule} for each register. Start reading at {@link
 * CallFrameInfo}: {@link EhFrameIndex} finds the {@link Fde} that covers an address, {@link EhFrame} parses the
 * entries, and {@link CfaProgram} runs their instructions up to the address. {@link DwarfExpression} evaluates rules
 * that are programs. The classes name the sections of the standards that they follow.
 *
 * <p>Rules are data: the module {@code unwind} applies a row to registers and memory, and an expression obtains both
 * from its {@link DwarfExpression.Frame}. The bytes are not trusted, so the states that a program remembers, and the
 * length and the steps of an expression, have upper bounds.
 */
@org.jspecify.annotations.NullMarked
package mayfly.binary.dwarf;
