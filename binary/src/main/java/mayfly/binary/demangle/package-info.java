/**
 * Demanglers of C++ and Rust names. Methods are named after the productions of the grammars: Itanium C++ ABI, chapter
 * 5, and Rust RFC 2603.
 *
 * <p>A symbol of an ELF file comes in, and the declaration or only the name of the function goes out. Start reading at
 * {@link Demangler}. A C++ name is read by {@link MangledName} into a tree of {@link Node}s, which is then printed; the
 * superclasses of MangledName are layers of the grammar, from {@link MangledText} to {@link Names}. {@link RustName}
 * prints while it reads, and {@link LegacyRustName} reads Rust's older form.
 *
 * <p>{@link Demangler} never throws: a name that is not mangled, or that exceeds a limit, is returned unchanged.
 * Nesting, output and steps are bounded, because a short name can refer to its own parts so often that its text is
 * exponentially long.
 */
@org.jspecify.annotations.NullMarked
package mayfly.binary.demangle;
