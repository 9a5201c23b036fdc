package mayfly.binary.demangle;

/** Thrown if a name is not mangled, has an unknown form, or exceeds a limit of the demangler. */
public final class Malformed extends RuntimeException {
    private static final long serialVersionUID = 1L;
    static final Malformed NAME = new Malformed();

    private Malformed() {
        super("not a mangled name", null, false, false);
    }
}
