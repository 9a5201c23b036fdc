package mayfly.binary;

import mayfly.binary.demangle.Malformed;
import mayfly.binary.demangle.MangledName;

/** Demangles C++ names (Itanium C++ ABI, chapter 5) and those that Rust mangles like them. Never fails. */
public final class Demangler {
    private static final int MAX_LENGTH = 1 << 15;
    /** {@code 17h}, sixteen digits, {@code E}. */
    private static final int RUST_HASH = 20;

    private Demangler() {
    }

    /** The whole declaration as c++filt prints it; the name itself if it is not a mangled one. */
    public static String demangle(String mangled) {
        return print(mangled, true);
    }

    /**
     * The function's name without its parameters, its result, and what the compiler has made of it ({@code .isra.0});
     * the name itself if it is not a mangled one.
     */
    public static String demangleName(String mangled) {
        return print(mangled, false);
    }

    private static String print(String mangled, boolean whole) {
        if (!mangled.startsWith("_Z") || mangled.length() > MAX_LENGTH) {
            return mangled;
        }
        int version = mangled.indexOf('@');
        if (version > 0) {
            return print(mangled.substring(0, version), whole) + (whole ? mangled.substring(version) : "");
        }
        try {
            if (isRust(mangled)) {
                return rust(MangledName.print(mangled.substring(0, mangled.length() - RUST_HASH) + "E", false));
            }
            return MangledName.print(mangled, whole);
        } catch (Malformed e) {
            return mangled;
        }
    }

    private static boolean isRust(String mangled) {
        int at = mangled.length() - RUST_HASH;
        return mangled.startsWith("_ZN") && at > 3 && mangled.startsWith("17h", at)
                && mangled.substring(at + 3, mangled.length() - 1).chars().allMatch(c -> Character.digit(c, 16) >= 0)
                && mangled.endsWith("E");
    }

    private static String rust(String name) {
        return name.replace("$LT$", "<").replace("$GT$", ">").replace("$RF$", "&").replace("$BP$", "*")
                .replace("$LP$", "(").replace("$RP$", ")").replace("$C$", ",").replace("$u20$", " ")
                .replace("$u7b$", "{").replace("$u7d$", "}").replace("$u27$", "'").replace("$u5b$", "[")
                .replace("$u5d$", "]").replace("$u3b$", ";").replace("$u2b$", "+").replace("$u22$", "\"")
                .replace("..", "::").replace("::_<", "::<").replaceFirst("^_<", "<");
    }
}
