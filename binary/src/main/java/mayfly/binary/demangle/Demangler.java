package mayfly.binary.demangle;

/**
 * Demangles the names of C++ (Itanium C++ ABI, chapter 5) and of Rust (the legacy mangling, which resembles that of
 * C++, and v0, RFC 2603). Never throws.
 */
public final class Demangler {
    private static final int MAX_LENGTH = 1 << 15;

    private Demangler() {}

    /** Returns the complete declaration as c++filt prints it, or the name itself if it is not mangled. */
    public static String demangle(String mangled) {
        return print(mangled, true);
    }

    /**
     * Returns the function's name without parameters, result and compiler suffixes ({@code .isra.0}), or the name
     * itself if it is not mangled.
     */
    public static String demangleName(String mangled) {
        return print(mangled, false);
    }

    private static String print(String mangled, boolean whole) {
        boolean v0 = mangled.startsWith("_R");
        if (!v0 && !mangled.startsWith("_Z") || mangled.length() > MAX_LENGTH) {
            return mangled;
        }
        int version = mangled.indexOf('@');
        if (version > 0) {
            return print(mangled.substring(0, version), whole) + (whole ? mangled.substring(version) : "");
        }
        try {
            if (v0) {
                return RustName.print(mangled, whole);
            }
            String legacyRust = LegacyRustName.print(mangled);
            return legacyRust == null ? MangledName.print(mangled, whole) : legacyRust;
        } catch (Malformed e) {
            return mangled;
        }
    }
}
