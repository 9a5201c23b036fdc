package mayfly.host.probe;

/** A class file, a constant pool or bytecodes that cannot be read. The message gives the reason. */
public final class MalformedCode extends Exception {
    private static final long serialVersionUID = 1;

    MalformedCode(String message) {
        super(message);
    }
}
