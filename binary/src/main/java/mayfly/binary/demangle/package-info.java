/** The grammar of mangled C++ names: Itanium C++ ABI, chapter 5. Methods are named after its productions. */
@org.jspecify.annotations.NullMarked
package mayfly.binary.demangle;
