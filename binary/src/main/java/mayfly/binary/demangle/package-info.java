/**
 * Demanglers of C++ and Rust names. Methods are named after the productions of the grammars: Itanium C++ ABI, chapter
 * 5, and Rust RFC 2603.
 */
@org.jspecify.annotations.NullMarked
package mayfly.binary.demangle;
