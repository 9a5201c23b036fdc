/** The grammar of mangled C++ names: Itanium C++ ABI, chapter 5. Productions carry its names. */
@org.jspecify.annotations.NullMarked
package mayfly.binary.demangle;
